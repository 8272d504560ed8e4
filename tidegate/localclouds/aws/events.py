"""EventBridge: rules and their targets."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

import json
from collections.abc import Iterable

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.convert import from_structure, from_tags, to_request, to_tags
from tidegate.localclouds.aws.iam import same_document
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

DEFAULT_BUS = "default"
ENABLED, DISABLED = "ENABLED", "DISABLED"
TARGET_NAMES = {"sqsTarget": "SqsParameters", "inputPaths": "InputPathsMap"}


def _bus_of(inputs: Values) -> str:
    return str(inputs.get("eventBusName") or DEFAULT_BUS)


class EventRule(ApiType):
    """`aws.cloudwatch.EventRule`. Its id is its name; on another bus, "bus/name"."""

    service = "events"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse a rule that nothing triggers, and a pattern that is no JSON."""
        if not inputs.get("eventPattern") and not inputs.get("scheduleExpression"):
            words = "one of eventPattern, scheduleExpression must be specified"
            yield CheckFailure("eventPattern", words)
        pattern = inputs.get("eventPattern")
        if isinstance(pattern, str):
            try:
                json.loads(pattern)
            except ValueError as error:
                yield CheckFailure("eventPattern", f"contains an invalid JSON: {error}")

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the rule."""
        name, bus = choose_name(inputs, "name"), _bus_of(inputs)
        tags = to_tags(tags_of(inputs))
        self._put(name, inputs, call, {"Tags": tags} if tags else {})
        key = name if bus == DEFAULT_BUS else f"{bus}/{name}"
        return Created(key, self._read(key, inputs, call))

    def _put(self, name: str, inputs: Values, call: Call, extra: Values) -> None:
        is_off = inputs.get("isEnabled") is False
        arguments = {
            "Name": name,
            "EventBusName": _bus_of(inputs),
            "EventPattern": inputs.get("eventPattern"),
            "ScheduleExpression": inputs.get("scheduleExpression"),
            "Description": inputs.get("description"),
            "RoleArn": inputs.get("roleArn"),
            "State": inputs.get("state") or (DISABLED if is_off else ENABLED),
        }
        given = {key: value for key, value in arguments.items() if value}
        self.client(call, inputs).put_rule(**given, **extra)

    def _read(self, key: str, inputs: Values, call: Call) -> Values:
        bus, _, name = key.rpartition("/")
        client = self.client(call, inputs)
        rule = client.describe_rule(Name=name, EventBusName=bus or DEFAULT_BUS)
        tags = from_tags(client.list_tags_for_resource(ResourceARN=rule["Arn"])["Tags"])
        pattern, asked = rule.get("EventPattern"), inputs.get("eventPattern")
        return {
            "name": name,
            "arn": rule["Arn"],
            "eventBusName": bus or DEFAULT_BUS,
            "eventPattern": same_document(asked, pattern) if pattern else None,
            "scheduleExpression": rule.get("ScheduleExpression"),
            "description": rule.get("Description"),
            "roleArn": rule.get("RoleArn"),
            "state": rule["State"],
            "isEnabled": rule["State"] != DISABLED if "isEnabled" in inputs else None,
            **split_live_tags(tags, inputs, call),
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the rule as it is live."""
        try:
            return self._read(record.id, record.inputs, call)
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change what triggers it, its state and tags."""
        client, live = self.client(call, new), self._read(record.id, new, call)
        self._put(live["name"], new, call, {})
        change = compare_tags(live["tagsAll"], tags_of(new))
        if change.removed:
            client.untag_resource(ResourceARN=live["arn"], TagKeys=change.removed)
        if change.added:
            client.tag_resource(ResourceARN=live["arn"], Tags=to_tags(change.added))
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the rule; refused while it has targets, unless it is forced."""
        bus, _, name = record.id.rpartition("/")
        place = {"EventBusName": bus or DEFAULT_BUS}
        client = self.client(call, record.inputs)
        with self.ignore_missing():
            if record.inputs.get("forceDestroy"):
                found = client.list_targets_by_rule(Rule=name, **place)["Targets"]
                if found:
                    ids = [target["Id"] for target in found]
                    client.remove_targets(Rule=name, Ids=ids, **place)
            client.delete_rule(Name=name, **place)


class EventTarget(ApiType):
    """`aws.cloudwatch.EventTarget`. Its id is "rule-target"; on another bus, "bus-rule-target"."""

    service = "events"

    def create(self, inputs: Values, call: Call) -> Created:
        """Give the rule the target; the rule must exist."""
        self._put(inputs, call)
        bus = _bus_of(inputs)
        parts = (inputs["rule"], inputs["targetId"])
        key = "-".join(parts if bus == DEFAULT_BUS else (bus, *parts))
        return Created(key, self._read(inputs, call))

    def _put(self, inputs: Values, call: Call) -> None:
        client = self.client(call, inputs)
        target: Values = to_request(client.shape("Target"), inputs, TARGET_NAMES)
        answer = client.put_targets(
            Rule=inputs["rule"],
            EventBusName=_bus_of(inputs),
            Targets=[{**target, "Id": inputs["targetId"]}],
        )
        for failed in answer.get("FailedEntries", ()):
            raise CloudError(failed["ErrorCode"], failed["ErrorMessage"])

    def _read(self, inputs: Values, call: Call) -> Values:
        client, key = self.client(call, inputs), inputs["targetId"]
        found = client.list_targets_by_rule(Rule=inputs["rule"], EventBusName=_bus_of(inputs))
        target = next((target for target in found["Targets"] if target["Id"] == key), None)
        if target is None:
            raise NotFoundError("ResourceNotFoundException", f"Target {key} does not exist.")
        form = load_schema(call.type_token).inputs
        live: Values = from_structure(form, target, TARGET_NAMES)
        kept = {"rule": inputs["rule"], "eventBusName": _bus_of(inputs), "targetId": key}
        return {**live, **kept}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the target as it is live."""
        try:
            return self._read(record.inputs, call)
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Put the target anew under its id."""
        self._put(new, call)
        return self._read(new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Take the target from its rule."""
        with self.ignore_missing():
            self.client(call, record.inputs).remove_targets(
                Rule=record.inputs["rule"],
                EventBusName=_bus_of(record.inputs),
                Ids=[record.inputs["targetId"]],
            )
