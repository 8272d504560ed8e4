"""The look-ups of the AWS provider that programs use most: account, region, zones, policies."""

# ruff: noqa: ARG001 - every look-up has the same signature

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from tidegate.localclouds.aws.clients import Clients, find_region
from tidegate.localclouds.aws.naming import ACCOUNT_ID
from tidegate.localclouds.contracts import Values

Lookup = Callable[[Values, Mapping[str, Any]], Values]


def build_lookups(clients: Clients) -> dict[str, Lookup]:
    """Return the look-ups by token."""

    def get_zones(arguments: Values, settings: Mapping[str, Any]) -> Values:
        region = find_region(settings, arguments)
        found = clients.of_region("ec2", region).describe_availability_zones()
        zones = [zone for zone in found["AvailabilityZones"] if zone["State"] == "available"]
        return {
            "id": region,
            "region": region,
            "names": [zone["ZoneName"] for zone in zones],
            "zoneIds": [zone["ZoneId"] for zone in zones],
            "groupNames": sorted({zone.get("GroupName", region) for zone in zones}),
        }

    return {
        "aws:index/getAvailabilityZones:getAvailabilityZones": get_zones,
        "aws:index/getCallerIdentity:getCallerIdentity": _get_caller,
        "aws:index/getPartition:getPartition": _get_partition,
        "aws:index/getRegion:getRegion": _get_region,
        "aws:iam/getPolicyDocument:getPolicyDocument": _get_policy_document,
    }


def _get_caller(arguments: Values, settings: Mapping[str, Any]) -> Values:
    return {
        "id": ACCOUNT_ID,
        "accountId": ACCOUNT_ID,
        "arn": f"arn:aws:iam::{ACCOUNT_ID}:user/tidegate-local",
        "userId": "AIDATIDEGATELOCAL",
    }


def _get_region(arguments: Values, settings: Mapping[str, Any]) -> Values:
    region = find_region(settings, arguments)
    return {"id": region, "name": region, "region": region, "description": region}


def _get_partition(arguments: Values, settings: Mapping[str, Any]) -> Values:
    return {
        "id": "aws",
        "partition": "aws",
        "dnsSuffix": "amazonaws.com",
        "reverseDnsPrefix": "com.amazonaws",
    }


def _get_policy_document(arguments: Values, settings: Mapping[str, Any]) -> Values:
    version = arguments.get("version", "2012-10-17")
    statements = [_to_statement(part) for part in arguments.get("statements") or []]
    document = {"Version": version, "Statement": statements}
    rendered = json.dumps(document, indent=2)
    return {
        "id": str(zlib.crc32(rendered.encode())),
        "json": rendered,
        "minifiedJson": json.dumps(document, separators=(",", ":")),
        "version": version,
        "statements": arguments.get("statements") or [],
    }


def _to_statement(part: Values) -> Values:
    principals: dict[str, Any] = {}
    for principal in part.get("principals") or []:
        principals[principal["type"]] = _single(principal["identifiers"])
    conditions: dict[str, dict[str, Any]] = {}
    for condition in part.get("conditions") or []:
        test = conditions.setdefault(condition["test"], {})
        test[condition["variable"]] = _single(condition["values"])
    statement = {
        "Sid": part.get("sid"),
        "Effect": part.get("effect", "Allow"),
        "Action": _single(part.get("actions")),
        "NotAction": _single(part.get("notActions")),
        "Resource": _single(part.get("resources")),
        "NotResource": _single(part.get("notResources")),
        "Principal": principals or None,
        "Condition": conditions or None,
    }
    return {key: value for key, value in statement.items() if value is not None}


def _single(values: Any) -> Any:
    return values[0] if isinstance(values, list) and len(values) == 1 else values
