"""IAM instance profiles: the role that an instance has."""

from __future__ import annotations

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.convert import from_tags, to_tags
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record


class InstanceProfile(ApiType):
    """`aws.iam.InstanceProfile`."""

    service = "iam"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the profile and give it its role, which must exist."""
        client, name = self.client(call, inputs), choose_name(inputs, "name")
        role = inputs.get("role")
        if role:
            client.get_role(RoleName=role)
        path, tags = inputs.get("path"), to_tags(tags_of(inputs))
        client.create_instance_profile(
            InstanceProfileName=name,
            **({"Path": path} if path else {}),
            **({"Tags": tags} if tags else {}),
        )
        if role:
            client.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
        return Created(name, self._read(name, inputs, call))

    def _read(self, name: str, inputs: Values, call: Call) -> Values:
        client = self.client(call, inputs)
        profile = client.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]
        roles = [role["RoleName"] for role in profile["Roles"]]
        return {
            "name": name,
            "arn": profile["Arn"],
            "path": profile["Path"],
            "role": roles[0] if roles else "",
            "uniqueId": profile["InstanceProfileId"],
            "createDate": profile["CreateDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            **split_live_tags(from_tags(profile.get("Tags", [])), inputs, call),
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the profile as it is live."""
        try:
            return self._read(record.id, record.inputs, call)
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Exchange the role, and change tags."""
        client, profile = self.client(call, new), {"InstanceProfileName": record.id}
        before, after = old.get("role"), new.get("role")
        if before != after:
            if before:
                client.remove_role_from_instance_profile(RoleName=before, **profile)
            if after:
                client.add_role_to_instance_profile(RoleName=after, **profile)
        change = compare_tags(self._read(record.id, new, call)["tagsAll"], tags_of(new))
        if change.removed:
            client.untag_instance_profile(TagKeys=change.removed, **profile)
        if change.added:
            client.tag_instance_profile(Tags=to_tags(change.added), **profile)
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Take the role out and delete the profile."""
        client, profile = self.client(call, record.inputs), {"InstanceProfileName": record.id}
        with self.ignore_missing():
            found = client.get_instance_profile(**profile)["InstanceProfile"]
            for role in found["Roles"]:
                client.remove_role_from_instance_profile(RoleName=role["RoleName"], **profile)
            client.delete_instance_profile(**profile)
