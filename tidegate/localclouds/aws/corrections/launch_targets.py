"""What an instance is launched into: a capacity reservation or block, an image named by SSM.

Moto launches as if a template's target and its market were not there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.capacity import (
    CAPACITY_BLOCK,
    Reservation,
    count_available,
    find_reservation,
)
from tidegate.localclouds.aws.corrections.patching import wrap

RESOLVE = "resolve:ssm:"
PUBLIC = "/aws/service/"


def correct_launch_targets() -> None:
    """Apply the corrections of this module."""
    from moto.ec2.models import EC2Backend

    wrap(EC2Backend, "run_instances", _launch_into)


def _launch_into(original: Callable[..., Any]) -> Callable[..., Any]:
    def run_instances(self: Any, image_id: str, count: int, *args: Any, **kwargs: Any) -> Any:
        data = _find_data(self, kwargs)
        market = _find_market(data, kwargs)
        target = _find_target(self, data, kwargs, count)
        if market == CAPACITY_BLOCK and (target is None or not target.is_block):
            raise _refuse("InvalidParameterValue", "Capacity Blocks need one as their target")
        image = resolve_image(self, image_id or data.get("ImageId", ""))
        made = original(self, image, count, *args, **kwargs)
        for instance in made.instances:
            if target is not None:
                instance.capacity_reservation_id = target.id
            if market == CAPACITY_BLOCK:
                instance.lifecycle = CAPACITY_BLOCK
        return made

    return run_instances


def _find_market(data: dict[str, Any], kwargs: dict[str, Any]) -> str:
    """Return the market that the request or else its template asks for, "" for on-demand.

    Moto's request has the name alone, its Auto Scaling and a template the whole option.
    """
    asked = kwargs.get("instance_market_options") or data.get("InstanceMarketOptions") or {}
    return asked if isinstance(asked, str) else str(asked.get("MarketType", ""))


def _find_data(backend: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the launch template's version, {} where there is none."""
    given = kwargs.get("launch_template")
    if not given:
        return {}
    data: dict[str, Any] = backend._get_template_from_args(given).data  # noqa: SLF001 - moto's own
    return data


def _find_target(
    backend: Any, data: dict[str, Any], kwargs: dict[str, Any], count: int
) -> Reservation | None:
    """Return the reservation that is aimed at; refuse one that is absent or has no room."""
    specification = kwargs.get("capacity_reservation_specification") or data.get(
        "CapacityReservationSpecification", {}
    )
    aimed = specification.get("CapacityReservationTarget") or {}
    many = aimed.get("CapacityReservationIds") or [None]
    key = aimed.get("CapacityReservationId") or many[0]
    if key is None:
        return None
    target = find_reservation(backend, key)
    wanted = kwargs.get("instance_type") or data.get("InstanceType")
    if target.fields["InstanceType"] != wanted:
        words = f"The capacity reservation '{key}' is for {target.fields['InstanceType']}"
        raise _refuse("InvalidParameterValue", f"{words}, not for {wanted}")
    if count_available(backend, target) < count:
        words = f"The capacity reservation '{key}' ({target.shown_state}) has no room for {count}"
        raise _refuse("ReservationCapacityExceeded", words)
    return target


def resolve_image(backend: Any, image_id: str) -> str:
    """Return the image that an SSM parameter names.

    Parameters that AWS publishes stand for an image each, whether moto knows them or not.
    """
    if not image_id.startswith(RESOLVE):
        return image_id
    from moto.ssm.models import ssm_backends

    name = image_id.removeprefix(RESOLVE).split(":")[0]
    found = ssm_backends[backend.account_id][backend.region_name].get_parameter(name)
    if found is not None:
        return str(found.value)
    if not name.startswith(PUBLIC):
        raise _refuse("InvalidParameterValue", f"The SSM parameter '{name}' does not exist")
    return f"ami-{hashlib.sha256(name.encode()).hexdigest()[:17]}"


def _refuse(code: str, message: str) -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError(code, message)
