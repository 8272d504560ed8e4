"""IAM: roles, policies and attachments."""

from __future__ import annotations

import json
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.convert import from_tags, to_tags
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.store import Record

DEFAULT_SESSION_SECONDS = 3600


def same_document(asked: Any, live: Any) -> Any:
    """Return the policy as it was asked for when the live one says the same, else the live one."""
    document = live if isinstance(live, dict | list) else json.loads(live)
    try:
        if isinstance(asked, str) and json.loads(asked) == document:
            return asked
    except ValueError:
        return asked
    return json.dumps(document)


class Role(ApiType):
    """`aws.iam.Role`."""

    service = "iam"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the role, then its inline and managed policies."""
        client, name = self.client(call, inputs), choose_name(inputs, "name")
        arguments = {
            "RoleName": name,
            "AssumeRolePolicyDocument": inputs["assumeRolePolicy"],
            "Path": inputs.get("path"),
            "Description": inputs.get("description"),
            "MaxSessionDuration": inputs.get("maxSessionDuration"),
            "PermissionsBoundary": inputs.get("permissionsBoundary"),
            "Tags": to_tags(tags_of(inputs)) or None,
        }
        given = {key: value for key, value in arguments.items() if value is not None}
        role = client.create_role(**given)["Role"]
        self._set_policies({}, inputs, name, call)
        return Created(name, self._outputs(role, inputs))

    def _outputs(self, role: Values, inputs: Values) -> Values:
        return {
            "name": role["RoleName"],
            "arn": role["Arn"],
            "uniqueId": role["RoleId"],
            "createDate": role["CreateDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "path": role["Path"],
            "description": role.get("Description"),
            "maxSessionDuration": role.get("MaxSessionDuration", DEFAULT_SESSION_SECONDS),
            "forceDetachPolicies": inputs.get("forceDetachPolicies", False),
        }

    def _set_policies(self, old: Values, new: Values, name: str, call: Call) -> None:
        client = self.client(call, new)
        before = set(old.get("managedPolicyArns") or ())
        after = set(new.get("managedPolicyArns") or ())
        for arn in sorted(before - after):
            client.detach_role_policy(RoleName=name, PolicyArn=arn)
        for arn in sorted(after - before):
            client.attach_role_policy(RoleName=name, PolicyArn=arn)
        inline = {policy["name"]: policy["policy"] for policy in new.get("inlinePolicies") or ()}
        for policy in old.get("inlinePolicies") or ():
            if policy["name"] not in inline:
                client.delete_role_policy(RoleName=name, PolicyName=policy["name"])
        for policy_name, document in inline.items():
            client.put_role_policy(RoleName=name, PolicyName=policy_name, PolicyDocument=document)

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the role as it is live."""
        try:
            role = self.client(call, record.inputs).get_role(RoleName=record.id)["Role"]
        except NotFoundError:
            return None
        live = from_tags(role.get("Tags", []))
        asked = record.inputs.get("assumeRolePolicy")
        return {
            **self._outputs(role, record.inputs),
            "assumeRolePolicy": same_document(asked, role["AssumeRolePolicyDocument"]),
            **split_live_tags(live, record.inputs, call),
        }

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change trust, description, session length, policies and tags."""
        client, name = self.client(call, new), record.id
        if old.get("assumeRolePolicy") != new["assumeRolePolicy"]:
            client.update_assume_role_policy(RoleName=name, PolicyDocument=new["assumeRolePolicy"])
        client.update_role(
            RoleName=name,
            Description=new.get("description", ""),
            MaxSessionDuration=new.get("maxSessionDuration", DEFAULT_SESSION_SECONDS),
        )
        self._set_policies(old, new, name, call)
        live = from_tags(client.list_role_tags(RoleName=name)["Tags"])
        change = compare_tags(live, tags_of(new))
        if change.removed:
            client.untag_role(RoleName=name, TagKeys=change.removed)
        if change.added:
            client.tag_role(RoleName=name, Tags=to_tags(change.added))
        return {**(self.read(record, call) or {}), "assumeRolePolicy": new["assumeRolePolicy"]}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the role; refused while policies that it does not own are attached."""
        client, name = self.client(call, record.inputs), record.id
        with self.ignore_missing():
            attached = client.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
            owned = set(record.inputs.get("managedPolicyArns") or ())
            for policy in attached:
                if record.inputs.get("forceDetachPolicies") or policy["PolicyArn"] in owned:
                    client.detach_role_policy(RoleName=name, PolicyArn=policy["PolicyArn"])
            for policy_name in client.list_role_policies(RoleName=name)["PolicyNames"]:
                client.delete_role_policy(RoleName=name, PolicyName=policy_name)
            client.delete_role(RoleName=name)

    def adopt(self, id: str, call: Call) -> Values | None:
        """Import a role by its name."""
        try:
            role = self.client(call, {}).get_role(RoleName=id)["Role"]
        except NotFoundError:
            return None
        document = json.dumps(role["AssumeRolePolicyDocument"])
        return {"name": id, "assumeRolePolicy": document}


class RolePolicyAttachment(ApiType):
    """`aws.iam.RolePolicyAttachment`."""

    service = "iam"

    def create(self, inputs: Values, call: Call) -> Created:
        """Attach the policy; both must exist."""
        client = self.client(call, inputs)
        client.attach_role_policy(RoleName=inputs["role"], PolicyArn=inputs["policyArn"])
        return Created(f"{inputs['role']}/{inputs['policyArn']}", {})

    def read(self, record: Record, call: Call) -> Values | None:
        """Tell whether it is still attached."""
        client = self.client(call, record.inputs)
        try:
            found = client.list_attached_role_policies(RoleName=record.inputs["role"])
        except NotFoundError:
            return None
        arns = {policy["PolicyArn"] for policy in found["AttachedPolicies"]}
        return record.outputs if record.inputs["policyArn"] in arns else None

    def delete(self, record: Record, call: Call) -> None:
        """Detach the policy."""
        with self.ignore_missing():
            self.client(call, record.inputs).detach_role_policy(
                RoleName=record.inputs["role"], PolicyArn=record.inputs["policyArn"]
            )


class Policy(ApiType):
    """`aws.iam.Policy`. Its id is its ARN."""

    service = "iam"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the policy with its first version."""
        arguments = {
            "PolicyName": choose_name(inputs, "name"),
            "PolicyDocument": inputs["policy"],
            "Path": inputs.get("path"),
            "Description": inputs.get("description"),
            "Tags": to_tags(tags_of(inputs)) or None,
        }
        given = {key: value for key, value in arguments.items() if value is not None}
        policy = self.client(call, inputs).create_policy(**given)["Policy"]
        return Created(policy["Arn"], self._outputs(policy))

    def _outputs(self, policy: Values) -> Values:
        return {
            "name": policy["PolicyName"],
            "arn": policy["Arn"],
            "policyId": policy["PolicyId"],
            "path": policy["Path"],
            "attachmentCount": policy.get("AttachmentCount", 0),
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the policy's default version as it is live."""
        client = self.client(call, record.inputs)
        try:
            policy = client.get_policy(PolicyArn=record.id)["Policy"]
        except NotFoundError:
            return None
        version = client.get_policy_version(
            PolicyArn=record.id, VersionId=policy["DefaultVersionId"]
        )["PolicyVersion"]
        live = from_tags(policy.get("Tags", []))
        return {
            **self._outputs(policy),
            "policy": same_document(record.inputs.get("policy"), version["Document"]),
            **split_live_tags(live, record.inputs, call),
        }

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Make a new default version; the oldest goes when there are five."""
        client = self.client(call, new)
        if old.get("policy") != new["policy"]:
            self._drop_oldest_version(record.id, client)
            client.create_policy_version(
                PolicyArn=record.id, PolicyDocument=new["policy"], SetAsDefault=True
            )
        live = from_tags(client.list_policy_tags(PolicyArn=record.id)["Tags"])
        change = compare_tags(live, tags_of(new))
        if change.removed:
            client.untag_policy(PolicyArn=record.id, TagKeys=change.removed)
        if change.added:
            client.tag_policy(PolicyArn=record.id, Tags=to_tags(change.added))
        return {**(self.read(record, call) or {}), "policy": new["policy"]}

    def _drop_oldest_version(self, arn: str, client: Any) -> None:
        versions = client.list_policy_versions(PolicyArn=arn)["Versions"]
        spare = sorted(
            (version for version in versions if not version["IsDefaultVersion"]),
            key=lambda version: int(version["VersionId"][1:]),
        )
        maximum = 5
        if len(versions) >= maximum:
            client.delete_policy_version(PolicyArn=arn, VersionId=spare[0]["VersionId"])

    def delete(self, record: Record, call: Call) -> None:
        """Delete all versions and the policy; refused while it is attached."""
        client = self.client(call, record.inputs)
        with self.ignore_missing():
            entities = client.list_entities_for_policy(PolicyArn=record.id)
            if entities["PolicyRoles"] or entities["PolicyUsers"] or entities["PolicyGroups"]:
                raise CloudError("DeleteConflict", "Cannot delete a policy attached to entities.")
            for version in client.list_policy_versions(PolicyArn=record.id)["Versions"]:
                if not version["IsDefaultVersion"]:
                    client.delete_policy_version(
                        PolicyArn=record.id, VersionId=version["VersionId"]
                    )
            client.delete_policy(PolicyArn=record.id)
