"""EC2 instances: moto launches types that AWS has never had, in zones that lack them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.offerings import (
    explain_unoffered,
    read_offerings_by_region,
)
from tidegate.localclouds.aws.corrections.patching import wrap

DEFAULT_TYPE = "m1.small"  # moto's, where neither request nor template names one


def correct_instances() -> None:
    """Refuse unknown and unoffered instance types."""
    from moto.ec2.models import EC2Backend

    read_offerings_by_region()
    wrap(EC2Backend, "run_instances", _check_type)


def _check_type(original: Callable[..., Any]) -> Callable[..., Any]:
    from moto.ec2.exceptions import EC2ClientError

    def run_instances(self: Any, *args: Any, **kwargs: Any) -> Any:
        instance_type = kwargs.get("instance_type") or DEFAULT_TYPE
        is_default = kwargs.get("is_instance_type_default")
        if not is_default or instance_type != DEFAULT_TYPE:
            zone = _find_zone(self, kwargs)
            reason = explain_unoffered(instance_type, self.region_name, [zone] if zone else [])
            if reason:
                code = "InvalidParameterValue" if "Invalid value" in reason else "Unsupported"
                raise EC2ClientError(code, reason)
        return original(self, *args, **kwargs)

    return run_instances


def _find_zone(backend: Any, kwargs: dict[str, Any]) -> str | None:
    subnet_id = kwargs.get("subnet_id")
    if subnet_id:
        return str(backend.get_subnet(subnet_id).availability_zone)
    placement = kwargs.get("placement")
    return placement if isinstance(placement, str) else None
