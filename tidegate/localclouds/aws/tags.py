"""Default tags as the AWS provider merges them, and tags as they are live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.aws.clients import find_region
from tidegate.localclouds.contracts import UNKNOWN, Call, Values
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.wire import Path


def merge_default_tags(inputs: Values, call: Call) -> Values:
    """Return the inputs with `tagsAll`: the provider's default tags under the resource's own.

    One unknown tag makes the whole of `tagsAll` unknown, as with the AWS provider.
    """
    schema = load_schema(call.type_token)
    if "tagsAll" not in schema.outputs or "tags" not in schema.inputs.properties:
        return inputs
    merged = _merge(find_default_tags(call.settings), inputs.get("tags") or {})
    if merged == {}:
        return {key: value for key, value in inputs.items() if key != "tagsAll"}
    return {**inputs, "tagsAll": merged}


def _merge(defaults: Any, tags: Any) -> Any:
    if defaults is UNKNOWN or tags is UNKNOWN:
        return UNKNOWN
    merged = {**defaults, **tags}
    return UNKNOWN if UNKNOWN in merged.values() else merged


def spread_tag_secrets(secrets: frozenset[Path], call: Call) -> frozenset[Path]:
    """Return the secret places with those of `tagsAll`, which holds the same tags."""
    spread = {("tagsAll", *path[1:]) for path in secrets if path[:1] == ("tags",)}
    if "defaultTags" in call.secret_settings:
        spread.add(("tagsAll",))
    return secrets | spread


def find_default_tags(settings: Mapping[str, Any]) -> Any:
    """Return the provider's default tags; unknown as a whole where any is."""
    default_tags = settings.get("defaultTags") or {}
    return UNKNOWN if default_tags is UNKNOWN else default_tags.get("tags") or {}


def add_common_outputs(inputs: Values, outputs: Values, call: Call) -> Values:
    """Return `tagsAll` and `region` for the types that have them."""
    schema = load_schema(call.type_token)
    common: Values = {}
    if "tagsAll" in schema.outputs:
        common["tags"] = outputs.get("tags") or {}
        common["tagsAll"] = outputs.get("tagsAll") or inputs.get("tagsAll") or {}
    if "region" in schema.outputs:
        common["region"] = find_region(call.settings, inputs)
    return common


def split_live_tags(live: Mapping[str, str], inputs: Values, call: Call) -> Values:
    """Return `tags` and `tagsAll` of what is live: defaults are no tags of the resource's own."""
    shown = {key: value for key, value in live.items() if not key.startswith("aws:")}
    defaults, own = find_default_tags(call.settings), inputs.get("tags") or {}
    tags = {key: value for key, value in shown.items() if key in own or defaults.get(key) != value}
    return {"tags": tags, "tagsAll": shown}
