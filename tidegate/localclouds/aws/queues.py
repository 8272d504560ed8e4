"""SQS: the queue and its policy."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

import json

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.clients import find_region
from tidegate.localclouds.aws.iam import same_document
from tidegate.localclouds.aws.naming import ACCOUNT_ID, choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

# Pulumi's name → the API's attribute.
ATTRIBUTES = {
    "contentBasedDeduplication": "ContentBasedDeduplication",
    "deduplicationScope": "DeduplicationScope",
    "delaySeconds": "DelaySeconds",
    "fifoQueue": "FifoQueue",
    "fifoThroughputLimit": "FifoThroughputLimit",
    "kmsDataKeyReusePeriodSeconds": "KmsDataKeyReusePeriodSeconds",
    "kmsMasterKeyId": "KmsMasterKeyId",
    "maxMessageSize": "MaximumMessageSize",
    "messageRetentionSeconds": "MessageRetentionPeriod",
    "policy": "Policy",
    "receiveWaitTimeSeconds": "ReceiveMessageWaitTimeSeconds",
    "redriveAllowPolicy": "RedriveAllowPolicy",
    "redrivePolicy": "RedrivePolicy",
    "sqsManagedSseEnabled": "SqsManagedSseEnabled",
    "visibilityTimeoutSeconds": "VisibilityTimeout",
}
FIFO_ONLY = frozenset({"fifoQueue", "contentBasedDeduplication"})
# What an attribute goes back to when it is left out (SQS API reference, CreateQueue).
DEFAULTS = {
    "delaySeconds": 0,
    "maxMessageSize": 262144,
    "messageRetentionSeconds": 345600,
    "receiveWaitTimeSeconds": 0,
    "visibilityTimeoutSeconds": 30,
}
DOCUMENTS = frozenset({"policy", "redrivePolicy", "redriveAllowPolicy"})


class Queue(ApiType):
    """`aws.sqs.Queue`. Its id is its URL."""

    service = "sqs"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the queue."""
        name = choose_name(inputs, "name")
        if inputs.get("fifoQueue") and not name.endswith(".fifo"):
            name = f"{name}.fifo"
        client = self.client(call, inputs)
        tags = tags_of(inputs)
        client.create_queue(
            QueueName=name, Attributes=_to_attributes(inputs), **({"tags": tags} if tags else {})
        )
        region = find_region(call.settings, inputs)
        url = f"https://sqs.{region}.amazonaws.com/{ACCOUNT_ID}/{name}"
        outputs = {"name": name, "url": url, "arn": f"{self.arn(call, inputs)}:{name}"}
        return Created(url, {**outputs, **(self._attributes(url, inputs, call))})

    def _attributes(self, url: str, inputs: Values, call: Call) -> Values:
        client = self.client(call, inputs)
        live = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        return {
            name: _parse(name, live[attribute], inputs.get(name))
            for name, attribute in ATTRIBUTES.items()
            if live.get(attribute) not in (None, "")
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the queue as it is live."""
        client = self.client(call, record.inputs)
        try:
            attributes = self._attributes(record.id, record.inputs, call)
            tags = client.list_queue_tags(QueueUrl=record.id).get("Tags", {})
        except NotFoundError:
            return None
        kept = {key: record.outputs[key] for key in ("name", "url", "arn")}
        return {**kept, **attributes, **split_live_tags(tags, record.inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change attributes and tags."""
        client = self.client(call, new)
        dropped = {name: value for name, value in DEFAULTS.items() if name in old}
        attributes = _to_attributes({**dropped, **new})
        attributes.pop("FifoQueue", None)
        if attributes:
            client.set_queue_attributes(QueueUrl=record.id, Attributes=attributes)
        change = compare_tags(
            client.list_queue_tags(QueueUrl=record.id).get("Tags", {}), tags_of(new)
        )
        if change.removed:
            client.untag_queue(QueueUrl=record.id, TagKeys=change.removed)
        if change.added:
            client.tag_queue(QueueUrl=record.id, Tags=change.added)
        return self.read(record, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the queue."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_queue(QueueUrl=record.id)


def _to_attributes(inputs: Values) -> dict[str, str]:
    given = {name: inputs[name] for name in ATTRIBUTES if inputs.get(name) not in (None, "")}
    if not given.get("fifoQueue"):  # a standard queue takes none of these, not even as false
        given = {name: value for name, value in given.items() if name not in FIFO_ONLY}
    return {
        ATTRIBUTES[name]: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given.items()
    }


def _parse(name: str, value: str, asked: object) -> object:
    if name in DOCUMENTS:
        return same_document(asked, value)
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdigit() else value


class QueuePolicy(ApiType):
    """`aws.sqs.QueuePolicy`: who may use a queue that exists. Its id is the queue's URL."""

    service = "sqs"

    def create(self, inputs: Values, call: Call) -> Created:
        """Set the policy."""
        self._put(inputs["queueUrl"], inputs["policy"], inputs, call)
        return Created(inputs["queueUrl"], self._read(inputs["queueUrl"], inputs, call) or {})

    def _put(self, url: str, document: object, inputs: Values, call: Call) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        client = self.client(call, inputs)
        client.set_queue_attributes(QueueUrl=url, Attributes={"Policy": text})

    def _read(self, url: str, inputs: Values, call: Call) -> Values | None:
        client = self.client(call, inputs)
        found = client.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])
        policy = found.get("Attributes", {}).get("Policy")
        if not policy:
            return None
        return {"queueUrl": url, "policy": same_document(inputs.get("policy"), policy)}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the policy as it is live; a queue without one has none."""
        try:
            return self._read(record.id, record.inputs, call)
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Set the policy anew."""
        self._put(record.id, new["policy"], new, call)
        return self._read(record.id, new, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Take the policy from the queue."""
        with self.ignore_missing():
            self._put(record.id, "", record.inputs, call)
