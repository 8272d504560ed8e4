"""EC2 launch templates: every change is a new version."""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.convert import from_structure, from_tags, to_request
from tidegate.localclouds.aws.ec2_type import Ec2Type
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.differences import find_changes
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

ALIASES = {
    "vpcSecurityGroupIds": "SecurityGroupIds",
    "securityGroupNames": "SecurityGroups",
    "instanceProfile": "IamInstanceProfile",
    "securityGroups": "Groups",
    "ipv4Addresses": "PrivateIpAddresses",
    "ipv4AddressCount": "SecondaryPrivateIpAddressCount",
    "associatePublicIpAddress": "AssociatePublicIpAddress",
    "ramDiskId": "RamDiskId",
    "memoryMib": "MemoryMiB",
    "acceleratorTotalMemoryMib": "AcceleratorTotalMemoryMiB",
    "memoryGibPerVcpu": "MemoryGiBPerVCpu",
    "vcpuCount": "VCpuCount",
    "totalLocalStorageGb": "TotalLocalStorageGB",
}
# Of the template itself, not of the instances it launches.
TEMPLATE_ONLY = frozenset(
    {"name", "namePrefix", "description", "tags", "tagsAll", "defaultVersion", "region"}
    | {"updateDefaultVersion"}
)


class LaunchTemplate(Ec2Type):
    """`aws.ec2.LaunchTemplate`."""

    resource_type = "launch-template"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the template with its first version."""
        description = inputs.get("description")
        made = self.client(call, inputs).create_launch_template(
            LaunchTemplateName=choose_name(inputs, "name"),
            LaunchTemplateData=self._data(inputs, call),
            **({"VersionDescription": description} if description else {}),
            **self.tag_specifications(inputs),
        )["LaunchTemplate"]
        return Created(made["LaunchTemplateId"], self._outputs(made, inputs, call))

    def _data(self, inputs: Values, call: Call) -> Values:
        client = self.client(call, inputs)
        data = {key: value for key, value in inputs.items() if key not in TEMPLATE_ONLY}
        structure: Values = to_request(client.shape("RequestLaunchTemplateData"), data, ALIASES)
        return structure

    def _outputs(self, template: Values, inputs: Values, call: Call) -> Values:
        return {
            "name": template["LaunchTemplateName"],
            "arn": f"{self.arn(call, inputs)}:launch-template/{template['LaunchTemplateId']}",
            "latestVersion": template["LatestVersionNumber"],
            "defaultVersion": template["DefaultVersionNumber"],
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the template and its latest version as they are live."""
        client = self.client(call, record.inputs)
        try:
            found = client.describe_launch_templates(LaunchTemplateIds=[record.id])
            versions = client.describe_launch_template_versions(
                LaunchTemplateId=record.id, Versions=["$Latest"]
            )["LaunchTemplateVersions"]
        except NotFoundError:
            return None
        template, latest = found["LaunchTemplates"][0], versions[0]
        schema = load_schema(call.type_token)
        data: Values = from_structure(schema.inputs, latest["LaunchTemplateData"], ALIASES)
        if "tagSpecifications" in data:  # moto lists the template's own tags among them
            specifications = data["tagSpecifications"]
            data["tagSpecifications"] = [
                part for part in specifications if part.get("resourceType") != self.resource_type
            ] or None
        tags = from_tags(template.get("Tags", []))
        return {
            **data,
            **self._outputs(template, record.inputs, call),
            "description": latest.get("VersionDescription"),
            **split_live_tags(tags, record.inputs, call),
        }

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Make a new version of what changed, and move the default as asked."""
        client: Any = self.client(call, new)
        before, after = self._data(old, call), self._data(new, call)
        if find_changes(before, after) or old.get("description") != new.get("description"):
            description = new.get("description")
            made = client.create_launch_template_version(
                LaunchTemplateId=record.id,
                LaunchTemplateData=after,
                **({"VersionDescription": description} if description else {}),
            )["LaunchTemplateVersion"]
            if new.get("updateDefaultVersion"):
                self._set_default(record.id, made["VersionNumber"], client)
        if new.get("defaultVersion") not in (None, old.get("defaultVersion")):
            self._set_default(record.id, new["defaultVersion"], client)
        self.set_tags(record.id, new, call)
        found = client.describe_launch_templates(LaunchTemplateIds=[record.id])
        return self._outputs(found["LaunchTemplates"][0], new, call)

    def _set_default(self, id: str, version: int, client: Any) -> None:
        client.modify_launch_template(LaunchTemplateId=id, DefaultVersion=str(version))

    def delete(self, record: Record, call: Call) -> None:
        """Delete the template with all its versions."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_launch_template(LaunchTemplateId=record.id)
