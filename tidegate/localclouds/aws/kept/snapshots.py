"""Data Lifecycle Manager: policies that make and delete snapshots."""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.calls import Asked, draw_id
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import require_role
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

# What a default policy holds beside its details, and is described within them.
DEFAULTS = (
    "CreateInterval",
    "RetainInterval",
    "CopyTags",
    "ExtendDeletion",
    "CrossRegionCopyTargets",
    "Exclusions",
)


def _say_no_policy(noun: str, name: str) -> CloudError:  # noqa: ARG001 - as every error of a kind
    return NotFoundError("ResourceNotFoundException", f"Policy {name} does not exist")


def _check(asked: Asked, body: Body) -> None:
    require_role(asked, body.get("ExecutionRoleArn"))
    details = body.get("PolicyDetails") or {}
    is_default = body.get("DefaultPolicy") or details.get("PolicyLanguage") == "SIMPLIFIED"
    is_event = details.get("PolicyType") == "EVENT_BASED_POLICY"
    if not is_default and not is_event and not details.get("Schedules"):
        words = "At least one schedule must be specified in the policy details"
        raise CloudError("InvalidRequestException", words)


POLICY = Kind(
    name="lifecycle policy",
    key=("PolicyId",),
    arn_member="PolicyArn",
    arn="policy/{PolicyId}",
    times=("DateCreated", "DateModified"),
    check=_check,
    missing=_say_no_policy,
)


def _create(asked: Asked) -> Body:
    return POLICY.create(asked, _gather(asked), {"PolicyId": f"policy-{draw_id(17)}"})


def _update(asked: Asked) -> Body:
    POLICY.update(asked, _gather(asked))
    return {}


def _gather(asked: Asked) -> Body:
    given = dict(asked.parameters)
    simple = {name: given.pop(name) for name in DEFAULTS if name in given}
    kind = given.get("DefaultPolicy")
    if kind:
        simple |= {"ResourceType": kind, "PolicyLanguage": "SIMPLIFIED"}
    if simple:
        given["PolicyDetails"] = {**given.get("PolicyDetails", {}), **simple}
    return given


def _show(asked: Asked, body: Body) -> Body:
    is_default = bool(body.get("DefaultPolicy"))
    return {**body, "DefaultPolicy": is_default, "Tags": POLICY.tags(asked, body)}


def _get(asked: Asked) -> Body:
    return {"Policy": _show(asked, POLICY.find(asked))}


def _list(asked: Asked) -> Body:
    wanted = asked.parameters.get("State")
    shown = [_show(asked, body) for body in POLICY.list(asked)]
    return {"Policies": [body for body in shown if wanted in (None, body["State"])]}


def _delete(asked: Asked) -> Body:
    POLICY.delete(asked)
    return {}


SNAPSHOTS: Mapping[str, Handler] = {
    "CreateLifecyclePolicy": _create,
    "GetLifecyclePolicy": _get,
    "GetLifecyclePolicies": _list,
    "UpdateLifecyclePolicy": _update,
    "DeleteLifecyclePolicy": _delete,
}
