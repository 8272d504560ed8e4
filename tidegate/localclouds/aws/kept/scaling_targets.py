"""Application Auto Scaling of SageMaker endpoints; other namespaces stay moto's.

Moto knows nothing of endpoints, forgets tags, and takes its times from outside its clock.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.calls import Asked
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID
from tidegate.localclouds.aws.kept.sagemaker import find_variant
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

NAMESPACE = "sagemaker"
VARIANT = "sagemaker:variant:DesiredInstanceCount"
CONFIGURATIONS = {
    "StepScaling": "StepScalingPolicyConfiguration",
    "TargetTrackingScaling": "TargetTrackingScalingPolicyConfiguration",
    "PredictiveScaling": "PredictiveScalingPolicyConfiguration",
}
SERVICE_ROLE = (
    "role/aws-service-role/sagemaker.application-autoscaling.amazonaws.com/"
    "AWSServiceRoleForApplicationAutoScaling_SageMakerEndpoint"
)


def _say_unregistered(noun: str, name: str) -> CloudError:
    return NotFoundError("ObjectNotFoundException", f"No {noun} found for {name}")


def _check_target(asked: Asked, body: Body) -> None:
    low, high = body.get("MinCapacity", 0), body.get("MaxCapacity", 0)
    if low > high:
        words = f"Maximum capacity cannot be less than minimum capacity: {high} < {low}"
        raise CloudError(INVALID, words)
    if body["ScalableDimension"] == VARIANT:
        _variant_of(asked, body)


def _variant_of(asked: Asked, body: Body) -> Body:
    parts = str(body["ResourceId"]).split("/")
    if len(parts) != 4 or parts[0] != "endpoint" or parts[2] != "variant":
        words = "Unsupported service namespace, resource type or scalable dimension"
        raise CloudError(INVALID, words)
    return find_variant(asked, parts[1], parts[3])


def _register(asked: Asked, body: Body) -> Body:
    return {"RoleARN": body.get("RoleARN") or f"arn:aws:iam::{asked.account}:{SERVICE_ROLE}"}


TARGET = Kind(
    name="scalable target",
    key=("ServiceNamespace", "ResourceId", "ScalableDimension"),
    arn_member="ScalableTargetARN",
    arn="scalable-target/{ResourceId}",
    times=("CreationTime",),
    defaults={
        "SuspendedState": {
            "DynamicScalingInSuspended": False,
            "DynamicScalingOutSuspended": False,
            "ScheduledScalingSuspended": False,
        }
    },
    check=_check_target,
    complete=_register,
    missing=_say_unregistered,
)


def _check_policy(asked: Asked, body: Body) -> None:
    TARGET.find(asked, body)
    wanted = CONFIGURATIONS.get(body["PolicyType"])
    if wanted is None or wanted not in body:
        words = f"PolicyType {body['PolicyType']} needs {wanted or 'a known type'}"
        raise CloudError(INVALID, words)


POLICY = Kind(
    name="scaling policy",
    key=(*TARGET.key, "PolicyName"),
    arn_member="PolicyARN",
    arn="scalingPolicy:resource/{ServiceNamespace}/{ResourceId}:policyName/{PolicyName}",
    times=("CreationTime",),
    defaults={"PolicyType": "StepScaling", "Alarms": []},
    check=_check_policy,
    missing=_say_unregistered,
)


def _is_ours(asked: Asked) -> bool:
    return asked.parameters.get("ServiceNamespace") == NAMESPACE


def _put(kind: Kind) -> Handler:
    def answer(asked: Asked) -> Body | None:
        if not _is_ours(asked):
            return None
        exists = kind.key_of(asked.parameters) in kind.shelf(asked)
        body = kind.update(asked) if exists else kind.create(asked, asked.parameters, {})
        if kind is TARGET:
            _hold_within(asked, body)
        return body

    return answer


def _hold_within(asked: Asked, target: Body) -> None:
    """Bring a variant's size within the bounds of its target, as the service does."""
    if target["ScalableDimension"] != VARIANT:
        return
    variant = _variant_of(asked, target)
    size = variant.get("DesiredInstanceCount")
    if size is not None:
        held = min(max(size, target["MinCapacity"]), target["MaxCapacity"])
        variant["DesiredInstanceCount"] = variant["CurrentInstanceCount"] = held


def _deregister(asked: Asked) -> Body | None:
    if not _is_ours(asked):
        return None
    target = TARGET.delete(asked)
    policies = POLICY.shelf(asked)
    for key in [key for key in policies if key[:3] == TARGET.key_of(target)]:
        del policies[key]
    return {}


def _delete_policy(asked: Asked) -> Body | None:
    if not _is_ours(asked):
        return None
    POLICY.delete(asked)
    return {}


def _describe(kind: Kind, member: str, filters: Mapping[str, str]) -> Handler:
    def answer(asked: Asked) -> Body | None:
        if not _is_ours(asked):
            return None
        found = kind.list(asked)
        for parameter, name in filters.items():
            wanted = asked.parameters.get(parameter)
            if wanted:
                many = wanted if isinstance(wanted, list) else [wanted]
                found = [body for body in found if body[name] in many]
        return {member: found}

    return answer


SCALING: Mapping[str, Handler] = {
    "RegisterScalableTarget": _put(TARGET),
    "DescribeScalableTargets": _describe(
        TARGET,
        "ScalableTargets",
        {"ResourceIds": "ResourceId", "ScalableDimension": "ScalableDimension"},
    ),
    "DeregisterScalableTarget": _deregister,
    "PutScalingPolicy": _put(POLICY),
    "DescribeScalingPolicies": _describe(
        POLICY,
        "ScalingPolicies",
        {
            "ResourceId": "ResourceId",
            "ScalableDimension": "ScalableDimension",
            "PolicyNames": "PolicyName",
        },
    ),
    "DeleteScalingPolicy": _delete_policy,
}
