"""What Auto Scaling refuses of a group: what it refers to, its mix, its types.

Source: Auto Scaling API reference, InstancesDistribution and LaunchTemplateOverrides; EC2 Auto
Scaling user guide, mixed instances groups; read 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.corrections.offerings import explain_unoffered, is_known_type
from tidegate.localclouds.aws.corrections.placement_groups import find_placement_group

SPOT_STRATEGIES = (
    "lowest-price",
    "capacity-optimized",
    "capacity-optimized-prioritized",
    "price-capacity-optimized",
)
ON_DEMAND_STRATEGIES = ("prioritized", "lowest-price")
MAXIMUM_OVERRIDES, MAXIMUM_WEIGHT = 40, 999


def refuse(message: str) -> Exception:
    """Return Auto Scaling's error for what does not hold."""
    from moto.autoscaling.exceptions import ValidationError

    return ValidationError(message)


def check_group(backend: Any, kwargs: dict[str, Any]) -> None:
    """Refuse a group that refers to nothing or contradicts itself; kwargs are moto's."""
    zones = _find_zones(backend, kwargs)
    check_source(backend, kwargs)
    _check_types(backend, _overrides_of(kwargs), zones)
    if kwargs.get("placement_group"):
        find_placement_group(backend.ec2_backend, kwargs["placement_group"], refuse)


def check_source(backend: Any, kwargs: dict[str, Any]) -> None:
    """Refuse a launch template that does not exist, and a mix that contradicts itself."""
    policy = kwargs.get("mixed_instances_policy") or {}
    mixed = policy.get("LaunchTemplate", {})
    given = kwargs.get("launch_template") or mixed.get("LaunchTemplateSpecification") or {}
    for specification in (given, *_specifications_of(_overrides_of(kwargs))):
        _find_template(backend, specification)
    if policy:
        _check_distribution(policy.get("InstancesDistribution") or {})
        _check_weights(_overrides_of(kwargs))


def _overrides_of(kwargs: dict[str, Any]) -> list[dict[str, Any]]:
    policy = kwargs.get("mixed_instances_policy") or {}
    found: list[dict[str, Any]] = policy.get("LaunchTemplate", {}).get("Overrides") or []
    return found


def _specifications_of(overrides: list[dict[str, Any]]) -> list[dict[str, Any]]:
    name = "LaunchTemplateSpecification"
    return [override[name] for override in overrides if override.get(name)]


def _find_template(backend: Any, specification: dict[str, Any]) -> None:
    from moto.ec2.exceptions import EC2ClientError

    ec2, name = backend.ec2_backend, specification.get("LaunchTemplateName")
    key = specification.get("LaunchTemplateId")
    if not key and not name:
        return
    try:
        found = ec2.get_launch_template(key) if key else ec2.get_launch_template_by_name(name)
        found.get_version(specification.get("Version") or "$Default")
    except EC2ClientError as error:
        words = "You must use a valid fully-formed launch template."
        raise refuse(f"{words} {error.message}") from error


def _check_distribution(distribution: dict[str, Any]) -> None:
    spot = distribution.get("SpotAllocationStrategy", SPOT_STRATEGIES[0])
    on_demand = distribution.get("OnDemandAllocationStrategy", ON_DEMAND_STRATEGIES[0])
    if spot not in SPOT_STRATEGIES:
        raise refuse(f"Spot allocation strategy {spot} is not one of {', '.join(SPOT_STRATEGIES)}")
    if on_demand not in ON_DEMAND_STRATEGIES:
        known = ", ".join(ON_DEMAND_STRATEGIES)
        raise refuse(f"On-Demand allocation strategy {on_demand} is not one of {known}")
    if distribution.get("SpotInstancePools") and spot != "lowest-price":
        raise refuse(f"SpotInstancePools holds only for lowest-price, not for {spot}")
    share = int(distribution.get("OnDemandPercentageAboveBaseCapacity") or 0)
    base = int(distribution.get("OnDemandBaseCapacity") or 0)
    if not 0 <= share <= 100 or base < 0:
        raise refuse(f"On-Demand base {base} and percentage above it {share} are out of range")


def _check_weights(overrides: list[dict[str, Any]]) -> None:
    if len(overrides) > MAXIMUM_OVERRIDES:
        raise refuse(f"A group takes at most {MAXIMUM_OVERRIDES} overrides, not {len(overrides)}")
    weights = [override.get("WeightedCapacity") for override in overrides]
    given = [int(weight) for weight in weights if weight]
    if given and len(given) < len(weights):
        raise refuse("Weighted capacity must be specified for all instance types or for none")
    if any(not 1 <= weight <= MAXIMUM_WEIGHT for weight in given):
        raise refuse(f"Weighted capacity must be between 1 and {MAXIMUM_WEIGHT}")


def _check_types(backend: Any, overrides: list[dict[str, Any]], zones: list[str]) -> None:
    """Refuse types that AWS has not, and groups none of whose types their zones sell."""
    names = [override["InstanceType"] for override in overrides if "InstanceType" in override]
    reasons = [explain_unoffered(name, backend.region_name, zones) for name in names]
    unknown = [
        reason for name, reason in zip(names, reasons, strict=True) if not is_known_type(name)
    ]
    if unknown or (reasons and all(reasons)):
        raise refuse((unknown or reasons)[0])


def _find_zones(backend: Any, kwargs: dict[str, Any]) -> list[str]:
    from moto.ec2.exceptions import EC2ClientError

    subnets = kwargs.get("vpc_zone_identifier")
    if not subnets:
        return list(kwargs.get("availability_zones") or [])
    try:
        found = backend.ec2_backend.describe_subnets(subnet_ids=subnets.split(","))
    except EC2ClientError as error:
        raise refuse(error.message) from error
    return [subnet.availability_zone for subnet in found]
