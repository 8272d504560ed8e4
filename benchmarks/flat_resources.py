"""Turn a stack export into the flat list that `flat_program` declares."""

from __future__ import annotations

from typing import Any

PROVIDER_PREFIX = "pulumi:"


def build_flat_resources(export: dict[str, Any]) -> list[dict[str, Any]]:
    """Return custom resources of an export, each after what it depends on.

    A property value that equals an output of a dependency becomes a reference to it, so that
    the flat program works on a fresh cloud whose ids differ from the recorded ones.
    """
    resources = [
        resource
        for resource in export["deployment"]["resources"]
        if resource.get("custom") and not resource["type"].startswith(PROVIDER_PREFIX)
    ]
    index = {resource["urn"]: number for number, resource in enumerate(resources)}
    flat = [_flatten(resource, resources, index) for resource in resources]
    for entry in flat:
        for reference in _references(entry["props"]):
            outputs = flat[reference[0]]["outputs"]
            if reference[1] != "id" and reference[1] not in outputs:
                outputs.append(reference[1])
    return flat


def _flatten(
    resource: dict[str, Any], resources: list[dict[str, Any]], index: dict[str, int]
) -> dict[str, Any]:
    known = [urn for urn in resource.get("dependencies", []) if urn in index]
    values = {urn: _leaves(resources[index[urn]]) for urn in known}
    props = {
        name: _refer(value, values, index)
        for name, value in resource.get("inputs", {}).items()
        if not name.startswith("__")
    }
    return {
        "type": resource["type"],
        "name": resource["urn"].rsplit("::", 1)[1],
        "props": props,
        "outputs": [],
        "dependsOn": [index[urn] for urn in known],
        "protect": bool(resource.get("protect")),
    }


def _leaves(resource: dict[str, Any]) -> dict[str, list[Any]]:
    """Map each string that a cloud made up to where it stands: its id, else the first path.

    What was declared is the same in the flat program, whose inputs are the recorded ones.
    """
    found: dict[str, list[Any]] = {}
    declared = _strings(resource.get("inputs", {}))

    def walk(value: Any, path: list[Any]) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, [*path, key])
        elif isinstance(value, list):
            for position, item in enumerate(value):
                walk(item, [*path, position])
        elif isinstance(value, str) and value not in declared and _looks_made_up(value):
            found.setdefault(value, path)

    if resource["id"] not in declared:
        found[resource["id"]] = ["id"]
    walk(resource.get("outputs", {}), [])
    return found


def _looks_made_up(value: str) -> bool:
    """Tell an id or ARN from a word such as "Delete", which may stand anywhere by chance."""
    return len(value) > 8 and any(character.isdigit() for character in value)


def _strings(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {found for item in value.values() for found in _strings(item)}
    if isinstance(value, list):
        return {found for item in value for found in _strings(item)}
    return {value} if isinstance(value, str) else set()


def _refer(value: Any, values: dict[str, dict[str, list[Any]]], index: dict[str, int]) -> Any:
    if isinstance(value, dict):
        return {key: _refer(item, values, index) for key, item in value.items()}
    if isinstance(value, list):
        return [_refer(item, values, index) for item in value]
    for urn, leaves in values.items():
        if isinstance(value, str) and value in leaves:
            return {"$ref": [index[urn], *leaves[value]]}
    return value


def _references(value: Any) -> list[list[Any]]:
    if isinstance(value, dict) and set(value) == {"$ref"}:
        return [value["$ref"]]
    if isinstance(value, dict):
        return [found for item in value.values() for found in _references(item)]
    if isinstance(value, list):
        return [found for item in value for found in _references(item)]
    return []
