"""EventBridge: an event of AWS's own reaches the queues and topics of the rules that match it.

Moto delivers only what somebody puts, to disabled rules too, and asks no queue's policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

ENABLED = ("ENABLED", "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS")
SERVICE = "events.amazonaws.com"
DEFAULT_BUS = "default"
SEND = {"sqs": "sqs:SendMessage", "sns": "sns:Publish"}
SOURCE_TESTS = frozenset({"ArnEquals", "ArnLike", "StringEquals", "StringLike"})


def deliver_event(account_id: str, region: str, event: Any) -> int:
    """Send an event to what the rules of the default bus target; return how many received it."""
    from moto.events.models import events_backends

    rules = events_backends[account_id][region].event_buses[DEFAULT_BUS].rules.values()
    matching = [
        rule for rule in rules if rule.state in ENABLED and rule.event_pattern.matches_event(event)
    ]
    return sum(
        _send(rule, target, event)
        for rule in matching
        if rule.event_pattern.get_pattern()  # a rule of a schedule has none, and matches all
        for target in rule.targets
    )


def _send(rule: Any, target: dict[str, Any], event: dict[str, Any]) -> bool:
    body = _render(rule, target, event)
    group = target.get("SqsParameters", {}).get("MessageGroupId")
    if _put(rule, target["Arn"], body, group):
        return True
    spare = target.get("DeadLetterConfig", {}).get("Arn")
    if spare:
        _put(rule, spare, body, None)
    return False


def _render(rule: Any, target: dict[str, Any], event: dict[str, Any]) -> str:
    """Return what a target is sent: its constant, a part of the event, its template, or all."""
    if target.get("Input"):
        return str(target["Input"])
    if target.get("InputPath"):
        return json.dumps(_look(event, target["InputPath"]))
    transformer = target.get("InputTransformer")
    if not transformer:
        return json.dumps(event)
    paths = transformer.get("InputPathsMap", {})
    values = {name: _look(event, path) for name, path in paths.items()}
    values |= {
        "aws.events.rule-arn": rule.arn,
        "aws.events.rule-name": rule.name,
        "aws.events.event": event,
        "aws.events.event.json": event,
    }
    return fill_template(transformer["InputTemplate"], values)


def _look(event: dict[str, Any], path: str) -> Any:
    """Return what a path such as "$.detail.instance-id" finds, "" where there is nothing."""
    found: Any = event
    for name in path.split(".")[1:]:
        found = found.get(name, "") if isinstance(found, dict) else ""
    return found


def fill_template(template: str, values: Mapping[str, Any]) -> str:
    """Put values into a template: within quotes as they are, elsewhere as JSON."""

    def fill(match: re.Match[str]) -> str:
        if match[1] not in values:
            return match[0]
        value = values[match[1]]
        quotes = len(re.findall(r'(?<!\\)"', template[: match.start()]))
        is_quoted = quotes % 2 == 1
        return str(value) if is_quoted and isinstance(value, str) else json.dumps(value)

    return re.sub(r"<([\w.-]+)>", fill, template)


def _put(rule: Any, arn: str, body: str, group: str | None) -> bool:
    _, _, service, region, account_id, name = arn.split(":", 5)
    if service == "sqs":
        return _put_on_queue(rule, (account_id, region, name), body, group)
    if service == "sns":
        return _publish(rule, (account_id, region, arn), body)
    return False


def _put_on_queue(rule: Any, place: tuple[str, str, str], body: str, group: str | None) -> bool:
    from moto.sqs.models import sqs_backends

    account_id, region, name = place
    backend = sqs_backends[account_id][region]
    queue = backend.queues.get(name)
    if queue is None or not is_allowed(queue.policy, SEND["sqs"], queue.queue_arn, rule.arn):
        return False
    backend.send_message(name, body, group_id=group)
    return True


def _publish(rule: Any, place: tuple[str, str, str], body: str) -> bool:
    from moto.sns.models import sns_backends

    account_id, region, arn = place
    topic = sns_backends[account_id][region].topics.get(arn)
    if topic is None or not is_allowed(topic.policy, SEND["sns"], arn, rule.arn):
        return False
    topic.publish(body)
    return True


def is_allowed(policy: Any, action: str, resource: str, source: str) -> bool:
    """Tell whether a resource's policy lets EventBridge act for a rule.

    Args:
        policy: The document, as JSON or parsed; none allows nothing.
        action: "sqs:SendMessage".
        resource: The ARN of what is acted on.
        source: The rule's ARN.
    """
    document = json.loads(policy) if isinstance(policy, str) and policy else policy or {}
    asked = (action, resource, source)
    effects = {
        statement["Effect"]
        for statement in _many(document.get("Statement", []))
        if _concerns(statement, *asked)
    }
    return effects == {"Allow"}


def _concerns(statement: dict[str, Any], action: str, resource: str, source: str) -> bool:
    principal = statement.get("Principal", {})
    services = [principal] if isinstance(principal, str) else _many(principal.get("Service", []))
    return (
        bool({"*", SERVICE} & set(services))
        and any(
            fnmatchcase(action.lower(), name.lower()) for name in _many(statement.get("Action", []))
        )
        and any(fnmatchcase(resource, name) for name in _many(statement.get("Resource", [])))
        and _holds(statement.get("Condition", {}), source)
    )


def _holds(conditions: dict[str, dict[str, Any]], source: str) -> bool:
    """Tell whether every condition holds; one on anything but the source does not."""
    for test, wanted in conditions.items():
        for key, values in wanted.items():
            if test not in SOURCE_TESTS or key.lower() != "aws:sourcearn":
                return False
            if not any(fnmatchcase(source, value) for value in _many(values)):
                return False
    return True


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
