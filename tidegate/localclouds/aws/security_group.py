"""EC2 security groups with their inline rules."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.convert import from_tags
from tidegate.localclouds.aws.ec2_type import Ec2Type
from tidegate.localclouds.aws.naming import ACCOUNT_ID, choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

DEFAULT_DESCRIPTION = "Managed by Pulumi"
ANY_PROTOCOL = "-1"
DIRECTIONS = ("ingress", "egress")
Atom = tuple[str, Any, Any, str, str, str]


class SecurityGroup(Ec2Type):
    """`aws.ec2.SecurityGroup`. Like the provider, it removes AWS's own allow-all egress rule."""

    resource_type = "security-group"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the group, then its rules."""
        client = self.client(call, inputs)
        arguments = {
            "GroupName": choose_name(inputs, "name"),
            "Description": inputs.get("description", DEFAULT_DESCRIPTION),
            "VpcId": inputs.get("vpcId"),
        }
        given = {key: value for key, value in arguments.items() if value is not None}
        made = client.create_security_group(**given, **self.tag_specifications(inputs))["GroupId"]
        self._set_rules(made, inputs, call)
        return Created(made, self._outputs(self._describe(made, inputs, call), inputs, call))

    def _describe(self, id: str, inputs: Values, call: Call) -> Values:
        groups = self.client(call, inputs).describe_security_groups(GroupIds=[id])
        group: Values = groups["SecurityGroups"][0]
        return group

    def _set_rules(self, id: str, inputs: Values, call: Call) -> None:
        client, live = self.client(call, inputs), self._describe(id, inputs, call)
        for direction in DIRECTIONS:
            present = _live_atoms(live, direction)
            wanted = _asked_atoms(inputs.get(direction) or [], id)
            gone, added = sorted(present - wanted), sorted(wanted - present)
            if gone:
                revoke = getattr(client, f"revoke_security_group_{direction}")
                revoke(GroupId=id, IpPermissions=[_to_permission(atom) for atom in gone])
            if added:
                allow = getattr(client, f"authorize_security_group_{direction}")
                allow(GroupId=id, IpPermissions=[_to_permission(atom) for atom in added])

    def _outputs(self, group: Values, inputs: Values, call: Call) -> Values:
        return {
            "arn": f"{self.arn(call, inputs)}:security-group/{group['GroupId']}",
            "name": group["GroupName"],
            "description": group["Description"],
            "vpcId": group.get("VpcId"),
            "ownerId": ACCOUNT_ID,
            "revokeRulesOnDelete": inputs.get("revokeRulesOnDelete", False),
            **{direction: _read_rules(group, inputs, direction) for direction in DIRECTIONS},
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the group as it is live."""
        try:
            group = self._describe(record.id, record.inputs, call)
        except NotFoundError:
            return None
        tags = from_tags(group.get("Tags", []))
        outputs = self._outputs(group, record.inputs, call)
        return {**outputs, **split_live_tags(tags, record.inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change rules and tags."""
        self._set_rules(record.id, new, call)
        self.set_tags(record.id, new, call)
        group = self._describe(record.id, new, call)
        tags = from_tags(group.get("Tags", []))
        return {**self._outputs(group, new, call), **split_live_tags(tags, new, call)}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the group."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_security_group(GroupId=record.id)


def _asked_atoms(rules: list[Values], id: str) -> set[Atom]:
    return {
        (*_ports(rule), kind, peer, rule.get("description") or "")
        for rule in rules
        for kind, peer in _peers(rule, id)
    }


def _ports(rule: Values) -> tuple[str, Any, Any]:
    protocol = "-1" if str(rule["protocol"]).lower() in {"-1", "all"} else str(rule["protocol"])
    if protocol == ANY_PROTOCOL:
        return protocol, -1, -1
    return protocol.lower(), rule["fromPort"], rule["toPort"]


def _peers(rule: Values, id: str) -> list[tuple[str, str]]:
    peers = [("v4", cidr) for cidr in rule.get("cidrBlocks") or ()]
    peers += [("v6", cidr) for cidr in rule.get("ipv6CidrBlocks") or ()]
    peers += [("list", prefix) for prefix in rule.get("prefixListIds") or ()]
    peers += [("group", group) for group in rule.get("securityGroups") or ()]
    return [*peers, ("group", id)] if rule.get("self") else peers


def _live_atoms(group: Values, direction: str) -> set[Atom]:
    key = "IpPermissions" if direction == "ingress" else "IpPermissionsEgress"
    return {atom for permission in group.get(key, []) for atom in _permission_atoms(permission)}


def _permission_atoms(permission: Values) -> list[Atom]:
    ports = (
        permission["IpProtocol"],
        permission.get("FromPort", -1),
        permission.get("ToPort", -1),
    )
    forms = (
        ("v4", "IpRanges", "CidrIp"),
        ("v6", "Ipv6Ranges", "CidrIpv6"),
        ("list", "PrefixListIds", "PrefixListId"),
        ("group", "UserIdGroupPairs", "GroupId"),
    )
    return [
        (*ports, kind, peer[name], peer.get("Description") or "")
        for kind, field, name in forms
        for peer in permission.get(field, [])
    ]


def _to_permission(atom: Atom) -> Values:
    protocol, start, end, kind, peer, description = atom
    words = {"Description": description} if description else {}
    field, name = {
        "v4": ("IpRanges", "CidrIp"),
        "v6": ("Ipv6Ranges", "CidrIpv6"),
        "list": ("PrefixListIds", "PrefixListId"),
        "group": ("UserIdGroupPairs", "GroupId"),
    }[kind]
    ports = {} if protocol == ANY_PROTOCOL else {"FromPort": start, "ToPort": end}
    return {"IpProtocol": protocol, **ports, field: [{name: peer, **words}]}


def _read_rules(group: Values, inputs: Values, direction: str) -> list[Values]:
    """Return the rules as asked for when they are what is live, else the live ones one by one."""
    asked: list[Values] = inputs.get(direction) or []
    live = _live_atoms(group, direction)
    if _asked_atoms(asked, group["GroupId"]) == live:
        return asked
    names = {
        "v4": "cidrBlocks",
        "v6": "ipv6CidrBlocks",
        "list": "prefixListIds",
        "group": "securityGroups",
    }
    return [
        {
            "protocol": protocol,
            "fromPort": 0 if protocol == ANY_PROTOCOL else start,
            "toPort": 0 if protocol == ANY_PROTOCOL else end,
            names[kind]: [peer],
            **({"description": description} if description else {}),
        }
        for protocol, start, end, kind, peer, description in sorted(live)
    ]
