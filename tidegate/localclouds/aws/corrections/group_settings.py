"""Settings of an Auto Scaling group that moto forgets: kept from the request, shown again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.group_checks import refuse
from tidegate.localclouds.aws.corrections.patching import wrap

# Parameter → the attribute that moto's answer looks at.
FORGOTTEN = {
    "AvailabilityZoneDistribution": "availability_zone_distribution",
    "CapacityReservationSpecification": "capacity_reservation_specification",
    "Context": "context",
    "DefaultInstanceWarmup": "default_instance_warmup",
    "DesiredCapacityType": "desired_capacity_type",
    "InstanceLifecyclePolicy": "instance_lifecycle_policy",
    "InstanceMaintenancePolicy": "instance_maintenance_policy",
    "MaxInstanceLifetime": "max_instance_lifetime",
}
FORGOTTEN_ON_CHANGE = {
    **FORGOTTEN,
    "CapacityRebalance": "capacity_rebalance",
    "DefaultCooldown": "default_cooldown",
    "PlacementGroup": "placement_group",
    "TerminationPolicies": "termination_policies",
}
ASKED = "asked_group_settings"
MARKET = "InstanceMarketOptions"


def correct_group_settings() -> None:
    """Keep them from a creation on, and from each change."""
    from moto.autoscaling.models import FakeAutoScalingGroup
    from moto.autoscaling.responses import AutoScalingResponse

    wrap(AutoScalingResponse, "create_auto_scaling_group", _hold_settings)
    wrap(AutoScalingResponse, "update_auto_scaling_group", _change_settings)
    wrap(FakeAutoScalingGroup, "__init__", _start_with_settings)


def _read(self: Any, names: dict[str, str]) -> dict[str, Any]:
    asked = self._get_params()
    return {attribute: asked[name] for name, attribute in names.items() if name in asked}


def _hold_settings(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_auto_scaling_group(self: Any) -> Any:
        _check_market(self)
        backend = self.autoscaling_backend
        backend.__dict__[ASKED] = _read(self, FORGOTTEN)
        try:
            return original(self)
        finally:
            backend.__dict__.pop(ASKED)

    return create_auto_scaling_group


def _check_market(self: Any) -> None:
    """Refuse a mix over a template that says a market itself; EKS alone makes such groups."""
    policy = self._get_params().get("MixedInstancesPolicy") or {}
    specification = policy.get("LaunchTemplate", {}).get("LaunchTemplateSpecification") or {}
    templates = self.autoscaling_backend.ec2_backend.launch_templates
    names = {template.name: template for template in templates.values()}
    found = templates.get(specification.get("LaunchTemplateId", "")) or names.get(
        specification.get("LaunchTemplateName", "")
    )
    if found is None:
        return
    version = specification.get("Version") or "$Default"
    numbered = not str(version).isdigit() or int(version) <= len(found.versions)
    if numbered and found.get_version(version).data.get(MARKET):
        words = "Incompatible launch template: InstanceMarketOptions cannot be combined with a"
        raise refuse(f"{words} MixedInstancesPolicy, whose InstancesDistribution says the market")


def _start_with_settings(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        self.__dict__ |= kwargs["autoscaling_backend"].__dict__.get(ASKED, {})
        original(self, *args, **kwargs)

    return start


def _change_settings(original: Callable[..., Any]) -> Callable[..., Any]:
    def update_auto_scaling_group(self: Any) -> Any:
        _check_market(self)
        name = self._get_param("AutoScalingGroupName")
        group = self.autoscaling_backend.autoscaling_groups.get(name)
        if group is not None:
            group.__dict__ |= _read(self, FORGOTTEN_ON_CHANGE)
        return original(self)

    return update_auto_scaling_group
