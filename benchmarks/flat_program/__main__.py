"""Declare the resources of a recorded stack one by one: the baseline for our components.

`FLAT_RESOURCES` names a JSON file written from `flat_resources.py`: a list of {"type", "name",
"props", "outputs", "dependsOn", "protect"} in an order in which every reference points backwards;
a reference is {"$ref": [index, path…]} into an earlier resource's outputs. `FLAT_STYLE` says how
they are declared: "sdk" with the providers' own classes, as a person would write them, "bare" as
raw registrations without any SDK, which nobody writes but nothing can beat.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
from pathlib import Path
from typing import Any

import pulumi

PACKAGES = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure-native": "pulumi_azure_native"}
COMPUTED = {"tagsAll"}  # the provider fills it in


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", name)


def follow(value: Any, path: list[Any]) -> Any:
    """Return what stands at `path` inside an output value; None while it is not there yet."""
    for step in path:
        if value is None:
            return None
        value = value[snake(step) if isinstance(step, str) and step not in value else step]
    return value


def refer(source: pulumi.CustomResource, path: list[Any]) -> pulumi.Output[Any]:
    attribute, *rest = path
    if attribute == "id":
        return source.id
    # Raw registrations keep outputs by the provider's own names, SDK classes by Python's.
    name = attribute if attribute in source.__dict__ else snake(attribute)
    found = source.__dict__[name] if name in source.__dict__ else getattr(source, name)
    return pulumi.Output.from_input(found).apply(lambda value: follow(value, rest))


def resolve(value: Any, declared: list[pulumi.CustomResource]) -> Any:
    """Replace every reference inside a property value by the earlier resource's output."""
    if isinstance(value, dict) and set(value) == {"$ref"}:
        index, *path = value["$ref"]
        return refer(declared[index], path)
    if isinstance(value, dict):
        return {key: resolve(item, declared) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, declared) for item in value]
    return value


def declare_bare(
    entry: dict[str, Any], props: dict[str, Any], opts: pulumi.ResourceOptions
) -> pulumi.CustomResource:
    # A property without a value asks the SDK to keep the output of that name.
    outputs = dict.fromkeys(entry["outputs"])
    return pulumi.CustomResource(entry["type"], entry["name"], {**outputs, **props}, opts)


def declare_sdk(
    entry: dict[str, Any], props: dict[str, Any], opts: pulumi.ResourceOptions
) -> pulumi.CustomResource:
    package, module, kind = entry["type"].split(":")
    found = importlib.import_module(f"{PACKAGES[package]}.{module.split('/')[0]}")
    # Python's names differ from the wire's in case and underscores alone.
    names = inspect.signature(getattr(found, kind)._internal_init).parameters  # noqa: SLF001 - the typed one
    python = {name.replace("_", "").lower(): name for name in names}
    arguments = {python[key.lower()]: item for key, item in props.items() if key not in COMPUTED}
    resource: pulumi.CustomResource = getattr(found, kind)(entry["name"], opts=opts, **arguments)
    return resource


declare = declare_bare if os.environ["FLAT_STYLE"] == "bare" else declare_sdk
declared: list[pulumi.CustomResource] = []
for entry in json.loads(Path(os.environ["FLAT_RESOURCES"]).read_text()):
    props = {name: resolve(value, declared) for name, value in entry["props"].items()}
    options = pulumi.ResourceOptions(
        depends_on=[declared[index] for index in entry["dependsOn"]], protect=entry["protect"]
    )
    declared.append(declare(entry, props, options))
