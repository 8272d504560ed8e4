"""Cost Explorer: anomaly monitors, their subscriptions, cost allocation tags.

Sources: Cost Explorer API reference, AnomalyMonitor and AnomalySubscription (a daily or weekly
summary goes out by e-mail, an immediate alert to SNS), botocore service model; 2026-11-30. AWS
takes a tag key for cost allocation only once it has seen it in a bill; here any key is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.calls import Asked, draw_uuid, now
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID, require_topic
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

IMMEDIATE, SNS, EMAIL = "IMMEDIATE", "SNS", "EMAIL"
TAGS = "cost allocation tag"
TIME_FORM = "%Y-%m-%dT%H:%M:%SZ"


def _say_no_monitor(noun: str, name: str) -> CloudError:
    return NotFoundError("UnknownMonitorException", f"No {noun} has the ARN {name}")


def _say_no_subscription(noun: str, name: str) -> CloudError:
    return NotFoundError("UnknownSubscriptionException", f"No {noun} has the ARN {name}")


def _check_monitor(asked: Asked, body: Body) -> None:
    """Refuse what does not fit its type, and a second monitor of all services."""
    wanted = "MonitorDimension" if body["MonitorType"] == "DIMENSIONAL" else "MonitorSpecification"
    if not body.get(wanted):
        raise CloudError(INVALID, f"A {body['MonitorType']} monitor needs a {wanted}")
    others = [other for other in MONITOR.list(asked) if other["MonitorArn"] != body["MonitorArn"]]
    if body.get("MonitorDimension") == "SERVICE" and any(
        other.get("MonitorDimension") == "SERVICE" for other in others
    ):
        words = "Limit exceeded on dimensional spend monitor creation"
        raise CloudError("LimitExceededException", words)


MONITOR = Kind(
    name="anomaly monitor",
    key=("MonitorArn",),
    arn_member="MonitorArn",
    arn="",
    times=(),
    check=_check_monitor,
    missing=_say_no_monitor,
)


def _check_subscription(asked: Asked, body: Body) -> None:
    for arn in body["MonitorArnList"]:
        MONITOR.find(asked, {"MonitorArn": arn})
    kinds = {subscriber["Type"] for subscriber in body["Subscribers"]}
    wanted = SNS if body["Frequency"] == IMMEDIATE else EMAIL
    if kinds - {wanted}:
        words = f"{body['Frequency']} frequency supports {wanted} subscribers only"
        raise CloudError(INVALID, words)
    for subscriber in body["Subscribers"]:
        if subscriber["Type"] == SNS:
            require_topic(asked, subscriber["Address"])
    if not body.get("ThresholdExpression") and body.get("Threshold") is None:
        raise CloudError(INVALID, "Either Threshold or ThresholdExpression is required")


SUBSCRIPTION = Kind(
    name="anomaly subscription",
    key=("SubscriptionArn",),
    arn_member="SubscriptionArn",
    arn="",
    times=(),
    check=_check_subscription,
    missing=_say_no_subscription,
)


def _create_monitor(asked: Asked) -> Body:
    resource = f"anomalymonitor/{draw_uuid()}"
    moment = now().strftime(TIME_FORM)
    generated = {
        "MonitorArn": asked.arn(resource),
        "CreationDate": moment,
        "LastUpdatedDate": moment,
        "DimensionalValueCount": 0,
    }
    return MONITOR.create(asked, asked.parameters["AnomalyMonitor"], generated)


def _create_subscription(asked: Asked) -> Body:
    generated = {
        "SubscriptionArn": asked.arn(f"anomalysubscription/{draw_uuid()}"),
        "AccountId": asked.account,
    }
    given = asked.parameters["AnomalySubscription"]
    body = SUBSCRIPTION.create(asked, given, generated)
    for subscriber in body["Subscribers"]:
        subscriber["Status"] = "CONFIRMED"
    return body


def _get(kind: Kind, wanted: str, member: str) -> Handler:
    def answer(asked: Asked) -> Body:
        arns = asked.parameters.get(wanted) or ()
        watched = asked.parameters.get("MonitorArn")
        found = [kind.find(asked, {kind.arn_member: arn}) for arn in arns] or kind.list(asked)
        chosen = [b for b in found if watched is None or watched in b.get("MonitorArnList", ())]
        return {member: chosen}

    return answer


def _delete(kind: Kind) -> Handler:
    def answer(asked: Asked) -> Body:
        kind.delete(asked)
        return {}

    return answer


def _update_tags(asked: Asked) -> Body:
    known = asked.shelves.of(TAGS, asked.region)
    for change in asked.parameters["CostAllocationTagsStatus"]:
        known[(change["TagKey"],)] = {
            **change,
            "Type": "AWSGenerated" if change["TagKey"].startswith("aws:") else "UserDefined",
            "LastUpdatedDate": now().strftime(TIME_FORM),
        }
    return {"Errors": []}


def _list_tags(asked: Asked) -> Body:
    wanted = asked.parameters
    found = [
        body
        for (key,), body in sorted(asked.shelves.of(TAGS, asked.region).items())
        if key in (wanted.get("TagKeys") or [key])
        and body["Status"] == wanted.get("Status", body["Status"])
        and body["Type"] == wanted.get("Type", body["Type"])
    ]
    return {"CostAllocationTags": found}


COST_EXPLORER: Mapping[str, Handler] = {
    "CreateAnomalyMonitor": _create_monitor,
    "GetAnomalyMonitors": _get(MONITOR, "MonitorArnList", "AnomalyMonitors"),
    "UpdateAnomalyMonitor": MONITOR.update,
    "DeleteAnomalyMonitor": _delete(MONITOR),
    "CreateAnomalySubscription": _create_subscription,
    "GetAnomalySubscriptions": _get(SUBSCRIPTION, "SubscriptionArnList", "AnomalySubscriptions"),
    "UpdateAnomalySubscription": SUBSCRIPTION.update,
    "DeleteAnomalySubscription": _delete(SUBSCRIPTION),
    "UpdateCostAllocationTagsStatus": _update_tags,
    "ListCostAllocationTags": _list_tags,
}
