"""SNS: topics and their policies. A topic's id is its ARN."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

import json

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.convert import from_tags, to_tags
from tidegate.localclouds.aws.iam import same_document
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

ATTRIBUTES = {
    "contentBasedDeduplication": "ContentBasedDeduplication",
    "deliveryPolicy": "DeliveryPolicy",
    "displayName": "DisplayName",
    "fifoTopic": "FifoTopic",
    "kmsMasterKeyId": "KmsMasterKeyId",
    "policy": "Policy",
    "signatureVersion": "SignatureVersion",
    "tracingConfig": "TracingConfig",
}
DOCUMENTS = frozenset({"deliveryPolicy", "policy"})
FIFO = ".fifo"


class Topic(ApiType):
    """`aws.sns.Topic`."""

    service = "sns"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the topic."""
        name = choose_name(inputs, "name")
        if inputs.get("fifoTopic") and not name.endswith(FIFO):
            name = f"{name}{FIFO}"
        tags = to_tags(tags_of(inputs))
        given = {ATTRIBUTES[key]: _render(inputs[key]) for key in ATTRIBUTES if key in inputs}
        arn = self.client(call, inputs).create_topic(
            Name=name, Attributes=given, **({"Tags": tags} if tags else {})
        )["TopicArn"]
        return Created(arn, self._read(arn, inputs, call))

    def _read(self, arn: str, inputs: Values, call: Call) -> Values:
        client = self.client(call, inputs)
        live = client.get_topic_attributes(TopicArn=arn)["Attributes"]
        tags = from_tags(client.list_tags_for_resource(ResourceArn=arn)["Tags"])
        shown = {
            key: _parse(key, live[attribute], inputs.get(key))
            for key, attribute in ATTRIBUTES.items()
            if live.get(attribute) not in (None, "")
        }
        name = arn.rsplit(":", 1)[-1]
        kept = {"name": name, "arn": arn, "owner": live["Owner"]}
        return {**kept, **shown, **split_live_tags(tags, inputs, call)}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the topic as it is live."""
        try:
            return self._read(record.id, record.inputs, call)
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change attributes and tags; what is left out goes back to nothing."""
        client = self.client(call, new)
        for key, attribute in ATTRIBUTES.items():
            if old.get(key) != new.get(key):
                client.set_topic_attributes(
                    TopicArn=record.id,
                    AttributeName=attribute,
                    AttributeValue=_render(new.get(key, "")),
                )
        live = from_tags(client.list_tags_for_resource(ResourceArn=record.id)["Tags"])
        change = compare_tags(live, tags_of(new))
        if change.removed:
            client.untag_resource(ResourceArn=record.id, TagKeys=change.removed)
        if change.added:
            client.tag_resource(ResourceArn=record.id, Tags=to_tags(change.added))
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the topic."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_topic(TopicArn=record.id)


class TopicPolicy(ApiType):
    """`aws.sns.TopicPolicy`: the policy of a topic that exists. Its id is the topic's ARN."""

    service = "sns"

    def create(self, inputs: Values, call: Call) -> Created:
        """Set the policy."""
        self._put(inputs, call)
        return Created(inputs["arn"], self._read(inputs["arn"], inputs, call))

    def _put(self, inputs: Values, call: Call) -> None:
        document = inputs["policy"]
        self.client(call, inputs).set_topic_attributes(
            TopicArn=inputs["arn"],
            AttributeName="Policy",
            AttributeValue=document if isinstance(document, str) else json.dumps(document),
        )

    def _read(self, arn: str, inputs: Values, call: Call) -> Values:
        live = self.client(call, inputs).get_topic_attributes(TopicArn=arn)["Attributes"]
        policy = same_document(inputs.get("policy"), live["Policy"])
        return {"arn": arn, "owner": live["Owner"], "policy": policy}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the policy as it is live."""
        try:
            return self._read(record.id, record.inputs, call)
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Set the policy anew."""
        self._put(new, call)
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Give the topic back the policy that every topic starts with: its owner may do all."""
        owner = {
            "Version": "2008-10-17",
            "Id": "__default_policy_ID",
            "Statement": [
                {
                    "Sid": "__default_statement_ID",
                    "Effect": "Allow",
                    "Principal": {"AWS": "*"},
                    "Action": ["SNS:Publish", "SNS:Subscribe", "SNS:SetTopicAttributes"],
                    "Resource": record.id,
                    "Condition": {"StringEquals": {"AWS:SourceOwner": record.id.split(":")[4]}},
                }
            ],
        }
        with self.ignore_missing():
            self._put({**record.inputs, "policy": owner}, call)


def _render(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse(key: str, value: str, asked: object) -> object:
    if key in DOCUMENTS:
        return same_document(asked, value)
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdigit() else value
