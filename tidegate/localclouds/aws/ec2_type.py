"""What EC2's types have in common: tags at creation and tags by id."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.convert import from_tags, to_tags
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record


class Ec2Type(ApiType):
    """A type of the EC2 API."""

    service = "ec2"
    resource_type = ""

    def tag_specifications(self, inputs: Values) -> dict[str, Any]:
        """Return the `TagSpecifications` argument, or nothing when there are no tags."""
        tags = to_tags(tags_of(inputs))
        if not tags:
            return {}
        return {"TagSpecifications": [{"ResourceType": self.resource_type, "Tags": tags}]}

    def set_tags(self, id: str, inputs: Values, call: Call) -> None:
        """Bring the tags of an id to what the inputs say."""
        client = self.client(call, inputs)
        found = client.describe_tags(Filters=[{"Name": "resource-id", "Values": [id]}])["Tags"]
        change = compare_tags(from_tags(found), tags_of(inputs))
        if change.removed:
            client.delete_tags(Resources=[id], Tags=[{"Key": key} for key in change.removed])
        if change.added:
            client.create_tags(Resources=[id], Tags=to_tags(change.added))


class DescribedType(Ec2Type):
    """A type of the EC2 API whose outputs are one description of what is live."""

    @abstractmethod
    def _read(self, id: str, inputs: Values, call: Call) -> Values:
        """Return the outputs of an id as they are live; `NotFoundError` when it is gone."""

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the resource as it is live."""
        try:
            return self._read(record.id, record.inputs, call)
        except NotFoundError:
            return None
