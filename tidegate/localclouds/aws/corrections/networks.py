"""EC2 networks: moto takes any zone and VPC, and deletes what is in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

from tidegate.localclouds.aws.corrections.offerings import offered_types
from tidegate.localclouds.aws.corrections.patching import wrap

GONE = frozenset({"terminated", "shutting-down"})


def correct_networks() -> None:
    """Refuse unknown zones and VPCs, and deletions of what instances still use."""
    from moto.ec2.models import EC2Backend

    wrap(EC2Backend, "create_subnet", _check_zone)
    wrap(EC2Backend, "delete_subnet", _check_subnet_free)
    wrap(EC2Backend, "create_security_group", _check_vpc)
    wrap(EC2Backend, "delete_security_group", _check_group_free)


def _refuse(code: str, message: str) -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError(code, message)


def _check_zone(original: Callable[..., Any]) -> Callable[..., Any]:
    parameters = signature(original)

    def create_subnet(self: Any, *args: Any, **kwargs: Any) -> Any:
        asked = parameters.bind(self, *args, **kwargs).arguments.get("availability_zone")
        zones = offered_types("availability-zone", self.region_name)
        if asked and zones and asked not in zones:
            raise _refuse(
                "InvalidParameterValue",
                f"Value ({asked}) for parameter availabilityZone is invalid. Subnets can "
                f"currently only be created in the following availability zones: "
                f"{', '.join(sorted(zones))}.",
            )
        return original(self, *args, **kwargs)

    return create_subnet


def _live_instances(backend: Any) -> Iterator[Any]:
    return (instance for instance in backend.all_instances() if instance.state not in GONE)


def _check_subnet_free(original: Callable[..., Any]) -> Callable[..., Any]:
    def delete_subnet(self: Any, subnet_id: str) -> Any:
        if any(instance.subnet_id == subnet_id for instance in _live_instances(self)):
            words = f"The subnet '{subnet_id}' has dependencies and cannot be deleted."
            raise _refuse("DependencyViolation", words)
        return original(self, subnet_id)

    return delete_subnet


def _check_vpc(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_security_group(
        self: Any, name: str, description: str, vpc_id: str | None = None, **kwargs: Any
    ) -> Any:
        if vpc_id and vpc_id not in self.vpcs:
            raise _refuse("InvalidVpcID.NotFound", f"The vpc ID '{vpc_id}' does not exist")
        return original(self, name, description, vpc_id, **kwargs)

    return create_security_group


def _check_group_free(original: Callable[..., Any]) -> Callable[..., Any]:
    def delete_security_group(
        self: Any, name: str | None = None, group_id: str | None = None
    ) -> Any:
        users = (
            group.id for instance in _live_instances(self) for group in instance.security_groups
        )
        if group_id and group_id in users:
            raise _refuse("DependencyViolation", f"resource {group_id} has a dependent object")
        return original(self, name, group_id)

    return delete_security_group
