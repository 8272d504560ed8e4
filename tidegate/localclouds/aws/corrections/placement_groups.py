"""EC2 placement groups, which moto lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.patching import add

PREFIX = "pg"
STRATEGIES = ("cluster", "partition", "spread")
DEFAULT_PARTITIONS, MAXIMUM_PARTITIONS = 2, 7


def correct_placement_groups() -> None:
    """Give moto's EC2 the three actions."""
    from moto.ec2.responses import EC2Response
    from moto.ec2.utils import EC2_RESOURCE_TO_PREFIX

    EC2_RESOURCE_TO_PREFIX.setdefault("placement-group", PREFIX)
    add(
        EC2Response,
        create_placement_group=_create,
        describe_placement_groups=_describe,
        delete_placement_group=_delete,
    )


def _groups(backend: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = backend.__dict__.setdefault("placement_groups", {})
    return found


def _create(self: Any) -> Any:
    from moto.core.responses import ActionResult
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.utils import random_id

    asked, known = self._get_params(), _groups(self.ec2_backend)
    name, strategy = asked["GroupName"], asked.get("Strategy", "cluster")
    if name in known:
        words = f"The placement group '{name}' already exists."
        raise EC2ClientError("InvalidPlacementGroup.Duplicate", words)
    if strategy not in STRATEGIES:
        raise EC2ClientError("InvalidParameterValue", f"Invalid placement strategy {strategy}")
    group_id = random_id(PREFIX)
    known[name] = {
        "GroupName": name,
        "GroupId": group_id,
        "GroupArn": f"arn:aws:ec2:{self.region}:{self.current_account}:placement-group/{name}",
        "State": "available",
        "Strategy": strategy,
        **_describe_spread(strategy, asked),
    }
    for specification in asked.get("TagSpecifications", []):
        tags = {tag["Key"]: tag.get("Value", "") for tag in specification.get("Tags", [])}
        self.ec2_backend.create_tags([group_id], tags)
    return ActionResult({"PlacementGroup": _render(self, known[name])})


def _describe_spread(strategy: str, asked: dict[str, Any]) -> dict[str, Any]:
    from moto.ec2.exceptions import EC2ClientError

    count = int(asked.get("PartitionCount") or DEFAULT_PARTITIONS)
    if strategy == "partition":
        if not 1 <= count <= MAXIMUM_PARTITIONS:
            words = f"PartitionCount must be between 1 and {MAXIMUM_PARTITIONS}, not {count}"
            raise EC2ClientError("InvalidParameterValue", words)
        return {"PartitionCount": count}
    if asked.get("PartitionCount"):
        words = "PartitionCount is only valid with the strategy partition"
        raise EC2ClientError("InvalidParameterCombination", words)
    return {"SpreadLevel": asked.get("SpreadLevel", "rack")} if strategy == "spread" else {}


def _find(self: Any, name: str) -> dict[str, Any]:
    from moto.ec2.exceptions import EC2ClientError

    known = _groups(self.ec2_backend)
    if name not in known:
        words = f"The Placement Group '{name}' is unknown."
        raise EC2ClientError("InvalidPlacementGroup.Unknown", words)
    return known[name]


def find_placement_group(
    backend: Any, name: str, refuse: Callable[[str], Exception]
) -> dict[str, Any]:
    """Return a group of an EC2 backend, or refuse in another service's form."""
    known = _groups(backend)
    if name not in known:
        raise refuse(f"The Placement Group '{name}' is unknown.")
    return known[name]


def _describe(self: Any) -> Any:
    from moto.core.responses import ActionResult

    names, ids = self._get_param("GroupNames", []), self._get_param("GroupIds", [])
    known = _groups(self.ec2_backend)
    chosen = [_find(self, name) for name in names] or list(known.values())
    shown = [group for group in chosen if not ids or group["GroupId"] in ids]
    return ActionResult({"PlacementGroups": [_render(self, group) for group in shown]})


def _delete(self: Any) -> Any:
    from moto.core.responses import ActionResult

    group = _find(self, self._get_param("GroupName"))
    del _groups(self.ec2_backend)[group["GroupName"]]
    return ActionResult({"Return": True})


def _render(self: Any, group: dict[str, Any]) -> dict[str, Any]:
    tags = self.ec2_backend.describe_tags(filters={"resource-id": [group["GroupId"]]})
    return {**group, "Tags": [{"Key": tag["key"], "Value": tag["value"]} for tag in tags]}
