"""EC2 routing: the way out of a VPC, as the engine declares it and boto3 reads it back."""

from __future__ import annotations

from typing import Any

import pytest

from tidegate.localclouds.refusals import CloudError

VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
GATEWAY = "aws:ec2/internetGateway:InternetGateway"
TABLE = "aws:ec2/routeTable:RouteTable"
ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"


class Network:
    """A VPC of one subnet with a way out, each made by the engine."""

    def __init__(self, aws: Any, name: str) -> None:
        self.aws, self.name = aws, name
        self.vpc = aws.up(VPC, {"cidrBlock": "10.9.0.0/16"}, name)
        subnet = {
            "vpcId": self.vpc.id,
            "cidrBlock": "10.9.0.0/24",
            "availabilityZone": "us-east-1b",
        }
        self.subnet = aws.up(SUBNET, subnet, name)
        self.gateway = aws.up(GATEWAY, {"vpcId": self.vpc.id, "tags": {"team": "ml"}}, name)
        self.out = {"cidrBlock": "0.0.0.0/0", "gatewayId": self.gateway.id}
        self.table_inputs = {"vpcId": self.vpc.id, "routes": [self.out], "tags": {"team": "ml"}}
        self.table = aws.up(TABLE, self.table_inputs, name)
        self.use_inputs = {"subnetId": self.subnet.id, "routeTableId": self.table.id}
        self.use = aws.up(ASSOCIATION, self.use_inputs, name)

    def made(self) -> list[tuple[str, Any]]:
        return [
            (ASSOCIATION, self.use),
            (TABLE, self.table),
            (GATEWAY, self.gateway),
            (SUBNET, self.subnet),
            (VPC, self.vpc),
        ]


def test_boto3_reads_the_way_out_and_nothing_shows_as_changed(aws: Any, boto: Any) -> None:
    net = Network(aws, "way-out")
    ec2 = boto("ec2")
    (gateway,) = ec2.describe_internet_gateways(InternetGatewayIds=[net.gateway.id])[
        "InternetGateways"
    ]
    assert [item["VpcId"] for item in gateway["Attachments"]] == [net.vpc.id]
    (table,) = ec2.describe_route_tables(
        Filters=[{"Name": "association.subnet-id", "Values": [net.subnet.id]}]
    )["RouteTables"]
    assert table["RouteTableId"] == net.table.id
    out = {route["DestinationCidrBlock"]: route.get("GatewayId") for route in table["Routes"]}
    assert out == {"10.9.0.0/16": "local", "0.0.0.0/0": net.gateway.id}
    for token, made in net.made():
        assert aws.refresh(token, made, "way-out") == made.inputs, token


def test_what_another_hand_changed_is_drift(aws: Any, boto: Any) -> None:
    net = Network(aws, "by-hand")
    ec2 = boto("ec2")
    ec2.delete_route(RouteTableId=net.table.id, DestinationCidrBlock="0.0.0.0/0")
    assert aws.refresh(TABLE, net.table, "by-hand") == {**net.table.inputs, "routes": []}
    mended = aws.change(TABLE, net.table, net.table_inputs, "by-hand")
    assert mended.outputs["routes"] == [net.out]
    other = ec2.create_route_table(VpcId=net.vpc.id)["RouteTable"]["RouteTableId"]
    ec2.replace_route_table_association(AssociationId=net.use.id, RouteTableId=other)
    moved = aws.refresh(ASSOCIATION, net.use, "by-hand")
    assert moved == {**net.use.inputs, "routeTableId": other}
    back = aws.change(ASSOCIATION, net.use, net.use_inputs, "by-hand")
    assert aws.refresh(ASSOCIATION, back, "by-hand") == net.use.inputs


def test_it_is_taken_apart_in_order_and_nothing_stays(aws: Any, boto: Any) -> None:
    net = Network(aws, "apart")
    for token, made in ((TABLE, net.table), (VPC, net.vpc)):
        with pytest.raises(CloudError, match="DependencyViolation"):
            aws.destroy(token, made, "apart")
    for token, made in net.made():
        aws.destroy(token, made, "apart")
        assert aws.refresh(token, made, "apart") is None, token
    attached = [{"Name": "attachment.vpc-id", "Values": [net.vpc.id]}]
    assert boto("ec2").describe_internet_gateways(Filters=attached)["InternetGateways"] == []


@pytest.mark.parametrize(
    ("token", "inputs", "place"),
    [
        (TABLE, {"vpcId": "vpc-1", "routes": [{"cidrBlock": "0.0.0.0/0"}]}, "routes[0]"),
        (TABLE, {"vpcId": "vpc-1", "routes": [{"gatewayId": "igw-1"}]}, "routes[0]"),
        (TABLE, {"vpcId": "vpc-1", "routes": [{"cidrBlock": "0.0.0.0/0", "localGatewayId": "l"}]},
         "routes[0].localGatewayId"),
        (ASSOCIATION, {"routeTableId": "rtb-1"}, "routeTableId"),
        (ASSOCIATION, {"routeTableId": "rtb-1", "subnetId": "s", "gatewayId": "igw-1"},
         "gatewayId"),
    ],
)  # fmt: skip
def test_routes_that_lead_nowhere_are_refused(
    aws: Any, token: str, inputs: dict[str, Any], place: str
) -> None:
    assert list(aws.refusals(token, inputs)) == [place]
