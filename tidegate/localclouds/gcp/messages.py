"""Request bodies held against the messages of Google's own SDK."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.gcp.errors import invalid

WIDE = frozenset(
    {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
    }
)


def parse_message(sdk: str, name: str, body: Mapping[str, Any]) -> Body:
    """Return a request body as the SDK's message reads it: names, enums and types checked.

    The SDK is loaded when it is first needed: `google.cloud.compute_v1` takes 100 MB and seconds.
    JSON writes 64-bit integers as strings; they come back as integers.

    Args:
        sdk: The SDK's module ("google.cloud.container_v1").
        name: The message ("NodePool").
        body: The JSON that was sent.

    Raises:
        CloudError: Google's INVALID_ARGUMENT, for an unknown name, a bad enum or a wrong type.
    """
    message = getattr(importlib.import_module(sdk), name).pb()()
    try:
        ParseDict(dict(body), message)
    except ParseError as error:
        raise invalid(f"Invalid JSON payload received. {error}") from error
    return _narrow(MessageToDict(message), message.DESCRIPTOR)


def _narrow(body: Body, descriptor: Descriptor) -> Body:
    fields = {field.json_name: field for field in descriptor.fields}
    return {name: _narrow_value(value, fields[name]) for name, value in body.items()}


def _narrow_value(value: Any, field: FieldDescriptor) -> Any:
    inner = field.message_type
    if inner is not None and inner.GetOptions().map_entry:
        value_field = inner.fields_by_name["value"]
        return {key: _narrow_value(item, value_field) for key, item in value.items()}
    if isinstance(value, list):
        return [_narrow_value(item, field) for item in value]
    if isinstance(value, dict) and inner is not None:
        return _narrow(value, inner)
    return int(value) if field.type in WIDE else value
