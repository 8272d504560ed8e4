"""Declare the resources of a recorded stack one by one: the baseline for our components.

`FLAT_RESOURCES` names a JSON file written by `benchmarks/flat_resources.py`: a list of
{"type", "name", "props", "dependsOn", "protect"} in an order in which every reference points
backwards; a reference is {"$ref": [index, path…]} into an earlier resource's outputs.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pulumi


def follow(value: Any, path: list[Any]) -> Any:
    """Return what stands at `path` inside an output value; None while it is not there yet."""
    for step in path:
        if value is None:
            return None
        value = value[step]
    return value


def resolve(value: Any, declared: list[pulumi.CustomResource]) -> Any:
    """Replace every reference inside a property value by the earlier resource's output."""
    if isinstance(value, dict) and set(value) == {"$ref"}:
        index, attribute, *path = value["$ref"]
        source = declared[index]
        output = (
            source.id if attribute == "id" else pulumi.Output.from_input(source.__dict__[attribute])
        )
        return output.apply(lambda found: follow(found, path))
    if isinstance(value, dict):
        return {key: resolve(item, declared) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, declared) for item in value]
    return value


declared: list[pulumi.CustomResource] = []
for entry in json.loads(Path(os.environ["FLAT_RESOURCES"]).read_text()):
    props = {name: resolve(value, declared) for name, value in entry["props"].items()}
    # A property without a value asks the SDK to keep the output of that name.
    outputs = dict.fromkeys(entry["outputs"])
    options = pulumi.ResourceOptions(
        depends_on=[declared[index] for index in entry["dependsOn"]], protect=entry["protect"]
    )
    declared.append(
        pulumi.CustomResource(entry["type"], entry["name"], {**outputs, **props}, options)
    )
