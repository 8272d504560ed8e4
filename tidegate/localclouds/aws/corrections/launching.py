"""How an Auto Scaling group gets to its desired capacity: market, type and zone of each instance.

Instances spread over the zones that offer their type, the emptiest first; on-demand up to the
base and the percentage above it, spot beyond; types in the order of the overrides, weighted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tidegate.localclouds.aws.corrections.offerings import explain_unoffered, zones_offering

SPOT, ON_DEMAND = "spot", "on-demand"
NAME_TAG = "aws:autoscaling:groupName"
ALL_ON_DEMAND = 100


@dataclass(frozen=True)
class Choice:
    """One instance type that a group may launch, and what it counts."""

    instance_type: str
    weight: int


def settle_capacity(group: Any, new_capacity: int | None) -> None:
    """Launch or terminate instances until the group has its desired capacity."""
    group.desired_capacity = group.min_size if new_capacity is None else new_capacity
    wanted = group.desired_capacity or 0
    choices = _find_choices(group)
    while _capacity_of(group, choices) < wanted:
        if not _try_launch(group, choices, wanted):
            break
    _terminate_surplus(group, choices, wanted)
    backend = group.autoscaling_backend
    if group.name in backend.autoscaling_groups:
        backend.update_attached_elbs(group.name)
        backend.update_attached_target_groups(group.name)


def _find_choices(group: Any) -> list[Choice]:
    policy = group.mixed_instances_policy or {}
    overrides = policy.get("LaunchTemplate", {}).get("Overrides") or []
    choices = [
        Choice(override["InstanceType"], int(override.get("WeightedCapacity") or 1))
        for override in overrides
        if override.get("InstanceType")
    ]
    return choices or [Choice(group.instance_type, 1)]


def _weight_of(state: Any, choices: list[Choice]) -> int:
    weights = {choice.instance_type: choice.weight for choice in choices}
    return weights.get(state.instance.instance_type, 1)


def _capacity_of(group: Any, choices: list[Choice]) -> int:
    return sum(_weight_of(state, choices) for state in group.active_instances())


def _try_launch(group: Any, choices: list[Choice], wanted: int) -> bool:
    """Launch one instance; where EC2 has no room, the group stays short and says why."""
    from moto.ec2.exceptions import EC2ClientError

    try:
        _launch(group, choices, wanted)
    except EC2ClientError as error:
        words = f"Launching a new EC2 instance.  Status Reason: {error.message}"
        _record(group, words, "", failed=True)
        return False
    return True


def _launch(group: Any, choices: list[Choice], wanted: int) -> None:
    from moto.autoscaling.models import InstanceState

    market = _choose_market(group, choices, wanted)
    instance_type, zone, subnet_id = _choose_place(group, choices)
    tags = {**group.get_propagated_tags(), **group.instance_tags, NAME_TAG: group.name}
    template = group.ec2_launch_template
    reservation = group.autoscaling_backend.ec2_backend.run_instances(
        group.image_id,
        1,
        group.user_data,
        group.security_groups,
        instance_type=instance_type,
        tags={"instance": tags},
        placement=zone,
        launch_config=group.launch_config,
        launch_template=_name_version(group) if template else None,
        capacity_reservation_specification=getattr(
            group, "capacity_reservation_specification", None
        ),
        is_instance_type_default=False,
        associate_public_ip=getattr(group.launch_config, "associate_public_ip_address", None),
        subnet_id=subnet_id,
        **({"instance_market_options": {"MarketType": SPOT}} if market == SPOT else {}),
    )
    instance = reservation.instances[0]
    instance.autoscaling_group = group
    protected = group.new_instances_protected_from_scale_in
    group.instance_states.append(InstanceState(instance, protected_from_scale_in=protected))
    _record(group, f"Launching a new EC2 instance: {instance.id}", instance.id)


def _name_version(group: Any) -> dict[str, str]:
    template = group.ec2_launch_template
    number = template.get_version(group.launch_template_version).number
    return {"LaunchTemplateId": template.id, "Version": str(number)}


def _choose_market(group: Any, choices: list[Choice], wanted: int) -> str:
    policy = group.mixed_instances_policy
    if not policy:
        return SPOT if _asks_spot(group) else ON_DEMAND
    distribution = policy.get("InstancesDistribution") or {}
    base = int(distribution.get("OnDemandBaseCapacity") or 0)
    percentage = distribution.get("OnDemandPercentageAboveBaseCapacity")
    share = ALL_ON_DEMAND if percentage is None else int(percentage)
    above = max(0, wanted - base)
    on_demand_wanted = min(base, wanted) + -(-above * share // 100)  # AWS rounds up
    on_demand = sum(
        _weight_of(state, choices)
        for state in group.active_instances()
        if getattr(state.instance, "lifecycle", None) != SPOT
    )
    return ON_DEMAND if on_demand < on_demand_wanted else SPOT


def _asks_spot(group: Any) -> bool:
    if group.ec2_launch_template is None:
        return False
    version = group.ec2_launch_template.get_version(group.launch_template_version)
    options = version.data.get("InstanceMarketOptions") or {}
    return bool(options.get("MarketType") == SPOT)


def _choose_place(group: Any, choices: list[Choice]) -> tuple[str, str, str | None]:
    """Return type, zone and subnet: the first type that any zone of the group offers."""
    from moto.autoscaling.exceptions import ValidationError

    region, subnets = group.region, _subnets_by_zone(group)
    zones = list(subnets) or list(group.availability_zones)
    for choice in choices:
        offering = [zone for zone in zones if zone in zones_offering(choice.instance_type, region)]
        if offering:
            zone = min(offering, key=lambda zone: (_count_in(group, zone), zone))
            return choice.instance_type, zone, subnets.get(zone)
    reasons = [explain_unoffered(choice.instance_type, region, zones) for choice in choices]
    raise ValidationError(" ".join(reasons))


def _subnets_by_zone(group: Any) -> dict[str, str]:
    if not group.vpc_zone_identifier:
        return {}
    ids = group.vpc_zone_identifier.split(",")
    found = group.autoscaling_backend.ec2_backend.describe_subnets(subnet_ids=ids)
    return {subnet.availability_zone: subnet.id for subnet in reversed(list(found))}


def _count_in(group: Any, zone: str) -> int:
    return sum(state.availability_zone == zone for state in group.active_instances())


def _terminate_surplus(group: Any, choices: list[Choice], wanted: int) -> None:
    """Terminate the oldest unprotected instances while enough stays without them."""
    for state in list(group.active_instances()):
        surplus = _capacity_of(group, choices) - wanted
        if surplus < _weight_of(state, choices) or state.protected_from_scale_in:
            continue
        group.autoscaling_backend.ec2_backend.terminate_instances([state.instance.id])
        group.instance_states = [other for other in group.instance_states if other is not state]
        _record(group, f"Terminating EC2 instance: {state.instance.id}", state.instance.id)


def _record(group: Any, description: str, instance_id: str, *, failed: bool = False) -> None:
    from moto.core.utils import utcnow
    from moto.moto_api._internal import mock_random

    now = utcnow()
    group.__dict__.setdefault("activities", []).append(
        {
            "ActivityId": str(mock_random.uuid4()),
            "AutoScalingGroupName": group.name,
            "AutoScalingGroupARN": group.arn,
            "Description": description,
            "Cause": f"At {now.isoformat()}Z an instance was started or stopped in response to "
            f"the desired capacity of {group.desired_capacity} ({instance_id}).",
            "StartTime": now,
            "EndTime": now,
            "StatusCode": "Failed" if failed else "Successful",
            "StatusMessage": description if failed else None,
            "Progress": 100,
        }
    )
