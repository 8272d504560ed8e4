"""EC2 placement groups. A group's id is its name."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable

from tidegate.localclouds.aws.convert import from_tags
from tidegate.localclouds.aws.ec2_type import Ec2Type
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

PARAMETERS = {
    "name": "GroupName",
    "strategy": "Strategy",
    "partitionCount": "PartitionCount",
    "spreadLevel": "SpreadLevel",
}
ONLY_WITH = {"partitionCount": "partition", "spreadLevel": "spread"}


class PlacementGroup(Ec2Type):
    """`aws.ec2.PlacementGroup`."""

    resource_type = "placement-group"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse what belongs to another strategy."""
        for name, strategy in ONLY_WITH.items():
            if name in inputs and inputs["strategy"] not in (strategy, UNKNOWN):
                yield CheckFailure(name, f"is only valid with the strategy {strategy}")

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the group."""
        given = {PARAMETERS[name]: inputs[name] for name in PARAMETERS if name in inputs}
        made = self.client(call, inputs).create_placement_group(
            **given, **self.tag_specifications(inputs)
        )["PlacementGroup"]
        return Created(made["GroupName"], self._outputs(made))

    def _outputs(self, group: Values) -> Values:
        known = {name: group.get(parameter) for name, parameter in PARAMETERS.items()}
        return {**known, "arn": group["GroupArn"], "placementGroupId": group["GroupId"]}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the group as it is live."""
        client = self.client(call, record.inputs)
        try:
            group = client.describe_placement_groups(GroupNames=[record.id])["PlacementGroups"][0]
        except NotFoundError:
            return None
        tags = from_tags(group.get("Tags", []))
        return {**self._outputs(group), **split_live_tags(tags, record.inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change tags."""
        self.set_tags(record.outputs["placementGroupId"], new, call)
        return self.read(record, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the group."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_placement_group(GroupName=record.id)
