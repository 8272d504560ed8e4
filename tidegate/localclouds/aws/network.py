"""EC2 networks: VPCs and subnets."""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.convert import from_structure, from_tags
from tidegate.localclouds.aws.ec2_type import DescribedType, Ec2Type
from tidegate.localclouds.aws.naming import ACCOUNT_ID
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

DNS_ATTRIBUTES = (
    ("enableDnsSupport", "EnableDnsSupport", True),
    ("enableDnsHostnames", "EnableDnsHostnames", False),
)
SUBNET_SWITCHES = {
    "mapPublicIpOnLaunch": "MapPublicIpOnLaunch",
    "assignIpv6AddressOnCreation": "AssignIpv6AddressOnCreation",
    "enableResourceNameDnsARecordOnLaunch": "EnableResourceNameDnsARecordOnLaunch",
}


class Vpc(Ec2Type):
    """`aws.ec2.Vpc`."""

    resource_type = "vpc"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the VPC, then set its DNS attributes."""
        client = self.client(call, inputs)
        arguments = {
            "CidrBlock": inputs.get("cidrBlock"),
            "InstanceTenancy": inputs.get("instanceTenancy"),
            "AmazonProvidedIpv6CidrBlock": inputs.get("assignGeneratedIpv6CidrBlock"),
        }
        given = {key: value for key, value in arguments.items() if value is not None}
        vpc = client.create_vpc(**given, **self.tag_specifications(inputs))["Vpc"]
        self._set_attributes({}, inputs, vpc["VpcId"], call)
        return Created(vpc["VpcId"], self._outputs(vpc, inputs, call))

    def _set_attributes(self, old: Values, new: Values, id: str, call: Call) -> None:
        client = self.client(call, new)
        for name, attribute, default in DNS_ATTRIBUTES:
            value = new.get(name, default)
            if value != old.get(name, default):
                client.modify_vpc_attribute(VpcId=id, **{attribute: {"Value": value}})

    def _outputs(self, vpc: Values, inputs: Values, call: Call) -> Values:
        client, vpc_id = self.client(call, inputs), vpc["VpcId"]
        mine = [{"Name": "vpc-id", "Values": [vpc_id]}]
        default = [*mine, {"Name": "group-name", "Values": ["default"]}]
        tables = client.describe_route_tables(Filters=mine)["RouteTables"]
        main = next(table["RouteTableId"] for table in tables if _is_main(table))
        acls = client.describe_network_acls(Filters=mine)["NetworkAcls"]
        return {
            "arn": f"{self.arn(call, inputs)}:vpc/{vpc_id}",
            "cidrBlock": vpc["CidrBlock"],
            "instanceTenancy": vpc["InstanceTenancy"],
            "dhcpOptionsId": vpc["DhcpOptionsId"],
            "ownerId": ACCOUNT_ID,
            "mainRouteTableId": main,
            "defaultRouteTableId": main,
            "defaultNetworkAclId": next(acl["NetworkAclId"] for acl in acls if acl["IsDefault"]),
            "defaultSecurityGroupId": client.describe_security_groups(Filters=default)[
                "SecurityGroups"
            ][0]["GroupId"],
            "enableDnsSupport": inputs.get("enableDnsSupport", True),
            "enableDnsHostnames": inputs.get("enableDnsHostnames", False),
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the VPC as it is live."""
        client = self.client(call, record.inputs)
        try:
            vpc = client.describe_vpcs(VpcIds=[record.id])["Vpcs"][0]
        except NotFoundError:
            return None
        attributes = {
            name: client.describe_vpc_attribute(VpcId=record.id, Attribute=name)[attribute]["Value"]
            for name, attribute, _ in DNS_ATTRIBUTES
        }
        tags = from_tags(vpc.get("Tags", []))
        outputs = self._outputs(vpc, record.inputs, call)
        return {**outputs, **attributes, **split_live_tags(tags, record.inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change DNS attributes and tags."""
        self._set_attributes(old, new, record.id, call)
        self.set_tags(record.id, new, call)
        return self.read(record, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the VPC; refused while something lives in it."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_vpc(VpcId=record.id)


def _is_main(table: Values) -> bool:
    return any(part.get("Main") for part in table.get("Associations", []))


class Subnet(DescribedType):
    """`aws.ec2.Subnet`."""

    resource_type = "subnet"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the subnet in a VPC that exists."""
        client = self.client(call, inputs)
        arguments = {
            "VpcId": inputs["vpcId"],
            "CidrBlock": inputs.get("cidrBlock"),
            "Ipv6CidrBlock": inputs.get("ipv6CidrBlock"),
            "AvailabilityZone": inputs.get("availabilityZone"),
            "AvailabilityZoneId": inputs.get("availabilityZoneId"),
        }
        given = {key: value for key, value in arguments.items() if value is not None}
        subnet = client.create_subnet(**given, **self.tag_specifications(inputs))["Subnet"]
        self._set_switches({}, inputs, subnet["SubnetId"], call)
        return Created(subnet["SubnetId"], self._read(subnet["SubnetId"], inputs, call))

    def _set_switches(self, old: Values, new: Values, id: str, call: Call) -> None:
        client = self.client(call, new)
        for name, attribute in SUBNET_SWITCHES.items():
            if bool(old.get(name)) != bool(new.get(name)):
                value = {attribute: {"Value": bool(new.get(name))}}
                client.modify_subnet_attribute(SubnetId=id, **value)

    def _outputs(self, subnet: Values, inputs: Values, call: Call) -> Values:
        known: dict[str, Any] = from_structure(load_schema(call.type_token).inputs, subnet)
        known.pop("tags", None)
        options = subnet.get("PrivateDnsNameOptionsOnLaunch") or {}
        return {
            **known,
            "enableResourceNameDnsARecordOnLaunch": options.get("EnableResourceNameDnsARecord"),
            "arn": f"{self.arn(call, inputs)}:subnet/{subnet['SubnetId']}",
            "ownerId": ACCOUNT_ID,
        }

    def _read(self, id: str, inputs: Values, call: Call) -> Values:
        found = self.client(call, inputs).describe_subnets(SubnetIds=[id])["Subnets"][0]
        tags = from_tags(found.get("Tags", []))
        return {**self._outputs(found, inputs, call), **split_live_tags(tags, inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change what instances get on launch, and tags."""
        self._set_switches(old, new, record.id, call)
        self.set_tags(record.id, new, call)
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the subnet; refused while instances run in it."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_subnet(SubnetId=record.id)
