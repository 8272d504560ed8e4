"""The forms of custom resources, from `data/crds/*.toml`.

A file states a `group` and `version`, and

    [kinds.ClusterQueue]
    plural = "clusterqueues"
    namespaced = false
    fields = { spec = "ClusterQueueSpec" }   # beside apiVersion, kind and metadata
    defaults = { spec = { … } }              # what the API server fills in
    [shapes]
    ClusterQueueSpec = { cohortName = "string", resourceGroups = "ResourceGroup[]" }
    [enums]
    DisruptionReason = "Empty|Drifted"

A form is "string", "integer", "number", "boolean", "any", a closed set "A|B", or the name of a
shape or an enum; "[]" makes a list of it, "{}" a map, and "!" says that it must be given.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any

from tidegate.localclouds.contracts import Values
from tidegate.localclouds.kubernetes.kinds import Kind
from tidegate.localclouds.schema import ResourceSchema, Shape, derive_shape

PLAIN = frozenset({"string", "integer", "number", "boolean", "any"})
FORM = re.compile(r"(?P<name>[\w|]+)(?P<many>\[\]|\{\})?(?P<needed>!)?")


@dataclass(frozen=True)
class DeclaredShape(Shape):
    """An object whose properties are written down here instead of in an SDK."""

    declared: Mapping[str, str] = field(default_factory=dict, compare=False)
    names: Mapping[str, Any] = field(default_factory=dict, compare=False)
    ready: Mapping[str, Shape] = field(default_factory=dict, compare=False)

    @cached_property
    def properties(self) -> Mapping[str, Shape]:
        """The object's properties by name."""
        own = {key: parse_form(form, self.names) for key, form in self.declared.items()}
        return {**self.ready, **own}

    @cached_property
    def required(self) -> frozenset[str]:
        """Those that must be given."""
        return frozenset(key for key, form in self.declared.items() if form.endswith("!"))


@dataclass(frozen=True)
class DeclaredSchema(ResourceSchema):
    """A custom resource: outputs have the form of the inputs, and a status."""

    @cached_property
    def results(self) -> Mapping[str, Shape]:
        """The forms of the outputs."""
        return self.inputs.properties


@dataclass(frozen=True, slots=True)
class CustomKind:
    """One custom resource: its kind, its form and what the API server fills in."""

    kind: Kind
    schema: ResourceSchema
    defaults: Values


def parse_form(text: str, names: Mapping[str, Any]) -> Shape:
    """Return the form that a word of the data files describes.

    Raises:
        ValueError: When the word is none, or names a shape that its file lacks.
    """
    match = FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"no form: {text!r}")
    inner = _parse_name(match["name"], names)
    if match["many"]:
        return Shape("list" if match["many"] == "[]" else "map", item=inner)
    return inner


def _parse_name(name: str, names: Mapping[str, Any]) -> Shape:
    if name in PLAIN:
        return Shape(name)
    found = names.get(name, name)
    if isinstance(found, dict):
        return DeclaredShape("object", declared=found, names=names)
    if "|" in found or name in names:
        return Shape("string", choices=tuple(found.split("|")))
    raise ValueError(f"no shape is called {name!r}")


@cache
def load_custom_kinds() -> Mapping[str, CustomKind]:
    """Read every file of custom resources: by Pulumi's type token."""
    folder = resources.files("tidegate.localclouds") / "data" / "crds"
    return {
        custom.kind.token: custom
        for file in sorted(folder.iterdir(), key=lambda each: each.name)
        for custom in _read(tomllib.loads(file.read_text(encoding="utf-8")))
    }


def _read(document: dict[str, Any]) -> Iterator[CustomKind]:
    from pulumi_kubernetes.apiextensions.CustomResource import CustomResource
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

    names = {**document["shapes"], **document.get("enums", {})}
    shared = {"apiVersion": Shape("string"), "kind": Shape("string")}
    for name, body in document["kinds"].items():
        kind = Kind(
            document["group"],
            document["version"],
            name,
            body["plural"],
            body.get("namespaced", False),
        )
        ready = {**shared, "metadata": derive_shape(ObjectMetaArgs)}
        shape = DeclaredShape("object", declared=body["fields"], names=names, ready=ready)
        outputs = frozenset({*shape.properties, "status"})
        schema = DeclaredSchema(kind.token, shape, outputs, CustomResource)
        yield CustomKind(kind, schema, body.get("defaults", {}))
