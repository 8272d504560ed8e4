"""EC2 routing: internet gateways, route tables, and which subnets use them."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.aws.convert import from_tags
from tidegate.localclouds.aws.ec2_type import DescribedType, Ec2Type
from tidegate.localclouds.aws.naming import ACCOUNT_ID
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

DESTINATIONS = {"cidrBlock": "DestinationCidrBlock", "ipv6CidrBlock": "DestinationIpv6CidrBlock"}
TARGETS = {
    "egressOnlyGatewayId": "EgressOnlyInternetGatewayId",
    "gatewayId": "GatewayId",
    "natGatewayId": "NatGatewayId",
    "networkInterfaceId": "NetworkInterfaceId",
    "transitGatewayId": "TransitGatewayId",
    "vpcPeeringConnectionId": "VpcPeeringConnectionId",
}
ROUTE = {**DESTINATIONS, **TARGETS}


class InternetGateway(DescribedType):
    """`aws.ec2.InternetGateway`."""

    resource_type = "internet-gateway"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the gateway and attach it to its VPC."""
        client = self.client(call, inputs)
        made = client.create_internet_gateway(**self.tag_specifications(inputs))["InternetGateway"]
        key = str(made["InternetGatewayId"])
        self._attach({}, inputs, key, call)
        return Created(key, self._read(key, inputs, call))

    def _attach(self, old: Values, new: Values, id: str, call: Call) -> None:
        client, before, after = self.client(call, new), old.get("vpcId"), new.get("vpcId")
        if before == after:
            return
        if before:
            client.detach_internet_gateway(InternetGatewayId=id, VpcId=before)
        if after:
            client.attach_internet_gateway(InternetGatewayId=id, VpcId=after)

    def _read(self, id: str, inputs: Values, call: Call) -> Values:
        client = self.client(call, inputs)
        (found,) = client.describe_internet_gateways(InternetGatewayIds=[id])["InternetGateways"]
        attached = found.get("Attachments") or [{}]
        return {
            "arn": f"{self.arn(call, inputs)}:internet-gateway/{id}",
            "ownerId": ACCOUNT_ID,
            "vpcId": attached[0].get("VpcId", ""),
            **split_live_tags(from_tags(found.get("Tags", [])), inputs, call),
        }

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Attach it elsewhere, and change tags."""
        self._attach(old, new, record.id, call)
        self.set_tags(record.id, new, call)
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Detach the gateway from where it is live, and delete it."""
        client = self.client(call, record.inputs)
        with self.ignore_missing():
            vpc = self._read(record.id, record.inputs, call)["vpcId"]
            if vpc:
                client.detach_internet_gateway(InternetGatewayId=record.id, VpcId=vpc)
            client.delete_internet_gateway(InternetGatewayId=record.id)


class RouteTable(DescribedType):
    """`aws.ec2.RouteTable`, with its routes inside."""

    resource_type = "route-table"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse routes that lead nowhere, and targets that EC2 does not have here."""
        routes = inputs.get("routes")
        for index, route in enumerate(routes if isinstance(routes, list) else []):
            if not isinstance(route, dict):
                continue
            place, given = f"routes[{index}]", {key for key, value in route.items() if value}
            for key in sorted(given - ROUTE.keys()):
                reason = "the local clouds do not emulate this property"
                yield CheckFailure(f"{place}.{key}", reason)
            for names in (DESTINATIONS, TARGETS):
                if not given - ROUTE.keys() and len(given & names.keys()) != 1:
                    yield CheckFailure(place, f"a route has one of {', '.join(sorted(names))}")

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the table in its VPC, then its routes."""
        client = self.client(call, inputs)
        tags = self.tag_specifications(inputs)
        made = client.create_route_table(VpcId=inputs["vpcId"], **tags)["RouteTable"]
        key = str(made["RouteTableId"])
        self._set_routes([], inputs, key, call)
        return Created(key, self._read(key, inputs, call))

    def _set_routes(self, old: list[Values], new: Values, id: str, call: Call) -> None:
        client, wanted = self.client(call, new), new.get("routes") or []
        for route in old:
            if route not in wanted:
                client.delete_route(RouteTableId=id, **_rename(route, DESTINATIONS))
        for route in wanted:
            if route not in old:
                client.create_route(RouteTableId=id, **_rename(route, ROUTE))

    def _read(self, id: str, inputs: Values, call: Call) -> Values:
        client = self.client(call, inputs)
        (found,) = client.describe_route_tables(RouteTableIds=[id])["RouteTables"]
        routes = [_show(route) for route in found["Routes"] if route.get("GatewayId") != "local"]
        return {
            "arn": f"{self.arn(call, inputs)}:route-table/{id}",
            "ownerId": ACCOUNT_ID,
            "vpcId": found["VpcId"],
            "routes": routes,
            "propagatingVgws": [],
            **split_live_tags(from_tags(found.get("Tags", [])), inputs, call),
        }

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Bring routes and tags to what the inputs say."""
        self._set_routes(self._read(record.id, old, call)["routes"], new, record.id, call)
        self.set_tags(record.id, new, call)
        return self._read(record.id, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the table; refused while a subnet uses it."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_route_table(RouteTableId=record.id)


def _rename(route: Values, names: dict[str, str]) -> dict[str, Any]:
    return {names[key]: value for key, value in route.items() if key in names and value}


def _show(route: Values) -> Values:
    return {name: route[key] for name, key in ROUTE.items() if route.get(key)}


class RouteTableAssociation(Ec2Type):
    """`aws.ec2.RouteTableAssociation`: the table that a subnet uses."""

    def create(self, inputs: Values, call: Call) -> Created:
        """Let a subnet use a table."""
        made = self.client(call, inputs).associate_route_table(
            RouteTableId=inputs["routeTableId"], SubnetId=inputs["subnetId"]
        )
        return Created(str(made["AssociationId"]), {})

    def _find(self, inputs: Values, call: Call) -> Values | None:
        mine = [{"Name": "association.subnet-id", "Values": [inputs["subnetId"]]}]
        tables = self.client(call, inputs).describe_route_tables(Filters=mine)["RouteTables"]
        for table in tables:
            for association in table["Associations"]:
                if association.get("SubnetId") == inputs["subnetId"]:
                    return dict(association)
        return None

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the table that the subnet uses now."""
        found = self._find(record.inputs, call)
        return {"routeTableId": found["RouteTableId"]} if found else None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Let the subnet use another table; the id of the first association stays ours."""
        found = self._find(old, call)
        if found is None:
            raise NotFoundError(
                "InvalidAssociationID.NotFound",
                f"The association ID '{record.id}' does not exist",
            )
        self.client(call, new).replace_route_table_association(
            AssociationId=found["RouteTableAssociationId"], RouteTableId=new["routeTableId"]
        )
        return {"routeTableId": new["routeTableId"]}

    def delete(self, record: Record, call: Call) -> None:
        """Let the subnet use its VPC's main table again."""
        found = self._find(record.inputs, call)
        if found is not None:
            self.client(call, record.inputs).disassociate_route_table(
                AssociationId=found["RouteTableAssociationId"]
            )
