"""Patches in the three forms that the API server takes: JSON, merge, strategic merge."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, merge_patch
from tidegate.localclouds.kubernetes.errors import bad_request
from tidegate.localclouds.refusals import CloudError

# Lists that a strategic merge patch merges by a key; every other list is replaced.
MERGE_KEYS = {
    "containers": "name",
    "env": "name",
    "initContainers": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"


def apply_patch(body: Body, media_type: str, raw: bytes) -> Body:
    """Return the object with a patch applied.

    Raises:
        CloudError: When the patch cannot be read, or is in a form that is not answered here
            (server-side apply).
    """
    try:
        patch = json.loads(raw)
    except ValueError as error:
        raise bad_request(f"error decoding patch: {error}") from error
    kind = media_type.partition(";")[0].strip()
    if kind == JSON_PATCH:
        return apply_json_patch(body, patch)
    if kind == STRATEGIC:
        return _merge_strategically(body, patch)
    if kind == MERGE:
        return merge_patch(body, patch)
    raise CloudError("UnsupportedMediaType", f"the local Kubernetes takes no {kind} patches", 415)


def _merge_strategically(body: Mapping[str, Any], patch: Mapping[str, Any]) -> Body:
    merged = dict(body)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            inside = merged.get(key)
            merged[key] = _merge_strategically(inside if isinstance(inside, Mapping) else {}, value)
        elif isinstance(value, list) and MERGE_KEYS.get(key) and isinstance(merged.get(key), list):
            merged[key] = _merge_lists(merged[key], value, MERGE_KEYS[key])
        else:
            merged[key] = value
    return merged


def _merge_lists(old: list[Body], patch: list[Body], key: str) -> list[Body]:
    merged = {str(each.get(key)): each for each in old}
    for each in patch:
        name = str(each.get(key))
        if each.get("$patch") == "delete":
            merged.pop(name, None)
        else:
            merged[name] = _merge_strategically(merged.get(name, {}), each)
    return list(merged.values())


def apply_json_patch(body: Body, operations: Any) -> Body:
    """Return the object with a JSON patch applied (RFC 6902: add, remove, replace, test)."""
    patched = copy.deepcopy(body)
    for each in operations:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in each["path"].split("/")[1:]]
        try:
            parent: Any = patched
            for step in steps[:-1]:
                parent = parent[int(step)] if isinstance(parent, list) else parent[step]
            _apply_operation(parent, steps[-1], each)
        except (KeyError, IndexError, TypeError) as error:
            words = f"{each['op']} operation does not apply: doc is missing path: {each['path']}"
            raise CloudError("Invalid", f"the server rejected our request: {words}", 422) from error
    return patched


def _apply_operation(parent: Any, last: str, operation: Mapping[str, Any]) -> None:
    verb = operation["op"]
    at: Any = last
    if isinstance(parent, list):
        at = len(parent) if last == "-" else int(last)
    if verb == "add" and isinstance(parent, list):
        parent.insert(at, operation["value"])
    elif verb == "add":
        parent[at] = operation["value"]
    elif verb == "replace":
        del parent[at]  # what is absent cannot be replaced
        parent.insert(at, operation["value"]) if isinstance(parent, list) else parent.update(
            {at: operation["value"]}
        )
    elif verb == "remove":
        del parent[at]
    elif verb != "test":
        raise bad_request(f"unexpected operation {verb!r} in a JSON patch")
    elif parent[at] != operation["value"]:
        raise CloudError("Invalid", "testing value failed", 422)
