"""Auto Scaling: sizes, mixed instances, unknown names, activities.

Moto launches every instance of a group as on-demand, of one type and in one zone, takes desired
sizes beyond the bounds, and answers 500 for names it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.group_checks import check_group, check_source, refuse
from tidegate.localclouds.aws.corrections.launching import settle_capacity
from tidegate.localclouds.aws.corrections.patching import add, wrap

# Backend methods whose first argument names a group that has to exist.
GROUP_METHODS = (
    "delete_auto_scaling_group",
    "attach_instances",
    "detach_instances",
    "set_desired_capacity",
    "delete_policy",
    "suspend_processes",
    "resume_processes",
    "set_instance_protection",
    "enter_standby_instances",
    "exit_standby_instances",
    "enable_metrics_collection",
    "put_warm_pool",
    "describe_warm_pool",
    "delete_warm_pool",
    "attach_load_balancers",
    "detach_load_balancers",
)
# Those whose first argument names an instance of some group.
INSTANCE_METHODS = ("terminate_instance", "set_instance_health")


def correct_autoscaling() -> None:
    """Apply the corrections of this module."""
    from moto.autoscaling.models import AutoScalingBackend, FakeAutoScalingGroup
    from moto.autoscaling.responses import AutoScalingResponse

    for name in GROUP_METHODS:
        wrap(AutoScalingBackend, name, _require_group)
    for name in INSTANCE_METHODS:
        wrap(AutoScalingBackend, name, _require_instance)
    wrap(AutoScalingBackend, "set_desired_capacity", _check_desired)
    wrap(AutoScalingBackend, "create_auto_scaling_group", _check_new_group)
    wrap(AutoScalingBackend, "delete_auto_scaling_group", _free_of_minimum)
    wrap(AutoScalingBackend, "update_auto_scaling_group", _check_changed_group)
    wrap(AutoScalingBackend, "create_or_update_tags", _check_tagged_groups)
    add(FakeAutoScalingGroup, set_desired_capacity=settle_capacity)
    add(AutoScalingResponse, describe_scaling_activities=_describe_activities)


def _require_group(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, group_name: str, *args: Any, **kwargs: Any) -> Any:
        if group_name not in self.autoscaling_groups:
            raise refuse(f"AutoScalingGroup name not found - {group_name}")
        return original(self, group_name, *args, **kwargs)

    return call


def _require_instance(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, instance_id: str, *args: Any, **kwargs: Any) -> Any:
        known = {
            state.instance.id
            for group in self.autoscaling_groups.values()
            for state in group.instance_states
        }
        if instance_id not in known:
            words = f"No managed instance found for instance ID: {instance_id}"
            raise refuse(f"Instance Id not found - {words}")
        return original(self, instance_id, *args, **kwargs)

    return call


def _check_desired(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, group_name: str, desired_capacity: int | None) -> Any:
        group = self.autoscaling_groups.get(group_name)
        if group is not None:
            check_sizes(group.min_size, desired_capacity, group.max_size)
        return original(self, group_name, desired_capacity)

    return call


def _free_of_minimum(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a group with a minimum go: moto deletes by scaling to zero."""

    def call(self: Any, group_name: str) -> Any:
        if group_name in self.autoscaling_groups:
            self.autoscaling_groups[group_name].min_size = 0
        return original(self, group_name)

    return call


def check_sizes(minimum: int | None, desired: int | None, maximum: int | None) -> None:
    """Refuse sizes that contradict each other, in AWS's words."""
    if minimum is not None and maximum is not None and minimum > maximum:
        raise refuse(f"Max bound, {maximum}, must be greater than or equal to min bound, {minimum}")
    if desired is None:
        return
    words = f"New SetDesiredCapacity value {desired} is"
    if minimum is not None and desired < minimum:
        raise refuse(f"{words} below min value {minimum} for the AutoScalingGroup.")
    if maximum is not None and desired > maximum:
        raise refuse(f"{words} above max value {maximum} for the AutoScalingGroup.")


def _check_new_group(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, **kwargs: Any) -> Any:
        name = kwargs["name"]
        if name in self.autoscaling_groups:
            from moto.autoscaling.exceptions import AutoscalingClientError

            words = f"AutoScalingGroup by this name already exists - {name}"
            raise AutoscalingClientError("AlreadyExists", words)
        configuration = kwargs.get("launch_config_name")
        if configuration and configuration not in self.launch_configurations:
            raise refuse("Launch configuration name not found - null")
        sizes = (kwargs.get(key) for key in ("min_size", "desired_capacity", "max_size"))
        check_sizes(*(None if size is None else int(size) for size in sizes))
        check_group(self, kwargs)
        return original(self, **kwargs)

    return call


def _check_changed_group(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, **kwargs: Any) -> Any:
        group = self.autoscaling_groups.get(kwargs["name"])
        if group is None:
            raise refuse(f"AutoScalingGroup name not found - {kwargs['name']}")
        minimum = _either(kwargs.get("min_size"), group.min_size)
        maximum = _either(kwargs.get("max_size"), group.max_size)
        check_sizes(minimum, kwargs.get("desired_capacity"), maximum)
        has_source = any(
            kwargs.get(key)
            for key in ("launch_config_name", "launch_template", "mixed_instances_policy")
        )
        if not has_source and group.mixed_instances_policy:
            kwargs["mixed_instances_policy"] = group.mixed_instances_policy
        check_source(self, kwargs)
        return original(self, **kwargs)

    return call


def _either(value: int | None, otherwise: int | None) -> int | None:
    return otherwise if value is None else value


def _check_tagged_groups(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, tags: list[dict[str, str]]) -> Any:
        for tag in tags:
            if tag["ResourceId"] not in self.autoscaling_groups:
                raise refuse(f"AutoScalingGroup name not found - {tag['ResourceId']}")
        return original(self, tags)

    return call


def _describe_activities(self: Any) -> Any:
    from moto.core.responses import ActionResult

    name = self._get_param("AutoScalingGroupName")
    groups = self.autoscaling_backend.autoscaling_groups
    chosen = [groups[name]] if name in groups else list(groups.values()) if not name else []
    activities = [item for group in chosen for item in getattr(group, "activities", [])]
    return ActionResult({"Activities": list(reversed(activities))})
