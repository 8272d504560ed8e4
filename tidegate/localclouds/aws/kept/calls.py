"""One request to a kept service: read from its HTTP form, and its answer written back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import parse_qs, unquote

from tidegate.localclouds.aws.actions import Answer, find_region, find_service, raw_path
from tidegate.localclouds.aws.journal import Entry
from tidegate.localclouds.aws.kept.shelves import Shelves

GLOBAL_SERVICES = frozenset({"ce", "savingsplans"})
PARTITION = "arn:aws"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        service: As requests are signed ("sagemaker").
        region: Where it is asked; "" for services that have one state for all regions.
        parameters: By the API's names.
        shelves: Everything that is kept.
    """

    service: str
    region: str
    account: str
    parameters: dict[str, Any]
    shelves: Shelves

    def arn(self, resource: str, service: str = "") -> str:
        """Return the ARN of a resource of this service, region and account."""
        return f"{PARTITION}:{service or self.service}:{self.region}:{self.account}:{resource}"


def parse_asked(entry: Entry, action: str, account: str, shelves: Shelves) -> Asked:
    """Read a request's parameters from its body, path and query."""
    service = find_service(entry)
    operation = load_operation(service, action)
    parameters = _parse_body(operation, entry.body)
    if operation.input_shape is not None:
        parameters |= _parse_places(operation, entry)
    region = "" if service in GLOBAL_SERVICES else find_region(entry)
    return Asked(service, region, account, parameters, shelves)


@cache
def load_operation(service: str, action: str) -> Any:
    """Return botocore's description of an action, as moto reads it."""
    from moto.core.utils import get_service_model

    return get_service_model(service).operation_model(action)


def _parse_body(operation: Any, body: bytes) -> dict[str, Any]:
    if not body or operation.input_shape is None:
        return {}
    document = json.loads(body)
    names = {
        member.serialization.get("name", name): name
        for name, member in operation.input_shape.members.items()
    }
    return {
        names[key]: value for key, value in document.items() if key in names and value is not None
    }


def _parse_places(operation: Any, entry: Entry) -> dict[str, Any]:
    template = operation.http["requestUri"].partition("?")[0]
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template))
    match = re.fullmatch(pattern + "/?", raw_path(entry))
    labels = match.groupdict() if match else {}
    query = parse_qs(entry.environ.get("QUERY_STRING", ""), keep_blank_values=True)
    found: dict[str, Any] = {}
    for name, member in operation.input_shape.members.items():
        wire = member.serialization.get("name", name)
        place = member.serialization.get("location")
        if place == "uri" and wire in labels:
            found[name] = unquote(labels[wire])
        elif place == "querystring" and wire in query:
            found[name] = query[wire] if member.type_name == "list" else query[wire][0]
    return found


def render_answer(service: str, action: str, result: dict[str, Any]) -> Answer:
    """Write an answer; members that the API does not describe are left out."""
    from moto.core.serialize import get_serializer_class

    operation = load_operation(service, action)
    protocol = operation.service_model.resolved_protocol
    rendered = get_serializer_class(service, protocol)(operation).serialize(result)
    body = rendered["body"]
    content = body if isinstance(body, bytes) else str(body).encode()
    headers = [(name, str(value)) for name, value in rendered["headers"].items()]
    return f"{rendered['status_code']} OK", headers, content


def now() -> datetime:
    """Return the time at which the request is handled, in UTC without a zone."""
    from moto.core.utils import utcnow

    moment: datetime = utcnow()
    return moment


def draw_id(length: int) -> str:
    """Return hexadecimal digits that a replay draws again."""
    from moto.moto_api._internal import mock_random

    digits: str = mock_random.get_random_hex(length)
    return digits


def draw_uuid() -> str:
    """Return a UUID that a replay draws again."""
    from moto.moto_api._internal import mock_random

    return str(mock_random.uuid4())
