"""The typed graph that every way into a check builds and every rule's input is made from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from tidegate.policy.values import is_secret, is_unknown
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.verdicts import SourceLine

STACK_TYPE: Final = "pulumi:pulumi:Stack"

_CLOUD_OF_PACKAGE: Mapping[str, Cloud] = {
    "aws": Cloud.AWS,
    "gcp": Cloud.GCP,
    "azure-native": Cloud.AZURE,
}
# azure-native writes an explicit API version into the module: `compute/v20240701` or a package
# name of its own, `azure-native_compute_v20240701:compute`.
_API_VERSION = re.compile(r"(?:/v\d{8}(?:preview)?(?=:))|(?:(?<=^azure-native)_[^:]+(?=:))")


@dataclass(frozen=True, slots=True)
class Provider:
    """The provider instance of a resource; only default labels and the region matter to rules."""

    urn: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource as the engine is about to make it, decoded and redacted.

    Attributes:
        urn: Its URN.
        type: Its type token without an API version ("aws:s3/bucket:Bucket").
        name: Its name in the program.
        properties: Its inputs, with the markers of `values` in place of unknowns and secrets.
        identifiers: What the cloud calls it, where the way in tells: `id`, `name`, `arn`.
        provider: Its provider instance; None where the way in does not tell.
        parent: The URN of its parent, or "".
        protect: Whether the engine refuses to delete it.
        ignore_changes: Property paths that later updates leave alone.
        dependencies: Property → URNs it is computed from; empty where the way in does not tell.
        operation: What the engine is about to do with it ("create", "replace", …); "" where the
            way in does not tell.
        source: The program line that declares it, where known.
        custom: Whether a provider makes it; False for components.
    """

    urn: str
    type: str
    name: str
    properties: Mapping[str, Any]
    identifiers: Mapping[str, str] = field(default_factory=dict)
    provider: Provider | None = None
    parent: str = ""
    protect: bool = False
    ignore_changes: tuple[str, ...] = ()
    dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    operation: str = ""
    source: SourceLine | None = None
    custom: bool = True

    @property
    def cloud(self) -> Cloud | None:
        """The cloud whose provider makes it; None for components and other providers."""
        return cloud_of_type(self.type)


@dataclass(frozen=True, slots=True)
class StackFacts:
    """What is known of the stack that is checked. `environment` is "" when nothing says it."""

    project: str = ""
    name: str = ""
    environment: str = ""


@dataclass(frozen=True)
class ResourceGraph:
    """The resources of one check.

    Attributes:
        stack: The stack they belong to.
        resources: In the order in which the way in gave them.
        complete: True when every resource of the stack is here. Rules that follow a reference
            from one resource to another say nothing while the graph is not complete.
        context: Resources that are not judged, but tell something of those that are.
        manifest: The capacity manifest that the stack exports; None where it exports none, or
            the way in does not show it.
        manifest_hidden: Whether the stack may export one that the way in does not show: what
            only the manifest could say is unknown then.
    """

    stack: StackFacts
    resources: tuple[Resource, ...]
    complete: bool
    context: tuple[Resource, ...] = ()
    manifest: Mapping[str, Any] | None = None
    manifest_hidden: bool = False

    @cached_property
    def by_urn(self) -> Mapping[str, Resource]:
        """The resources by URN."""
        return {resource.urn: resource for resource in self.resources}


def find_manifest(outputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the capacity manifest among a stack's outputs, where it has one that can be read."""
    capacity = outputs.get("capacity")
    if not isinstance(capacity, Mapping) or not str(capacity.get("version")).startswith(
        "tidegate/capacity/"
    ):
        return None
    return {name: _by_id(entries) for name, entries in capacity.items()}


def _hides_manifest(outputs: Mapping[str, Any]) -> bool:
    """Return whether a stack exports something in the manifest's place that cannot be seen."""
    capacity = outputs.get("capacity")
    return is_unknown(capacity) or is_secret(capacity)


def find_exported(
    outputs: Sequence[Mapping[str, Any]],
) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the manifest that a stack's outputs show, and whether they hide one.

    Args:
        outputs: Those of each resource that is the stack itself.
    """
    manifest = next((found for each in outputs if (found := find_manifest(each))), None)
    return manifest, manifest is None and any(_hides_manifest(each) for each in outputs)


def _by_id(section: Any) -> Any:
    """Return a section with one entry an id: rules look entries up by it."""
    if not isinstance(section, list):
        return section
    found: dict[str, Any] = {}
    for entry in section:
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
            found.setdefault(entry["id"], entry)
    return list(found.values())


def normalize_type(type_token: str) -> str:
    """Return a type token without azure-native's API version, so that one rule serves all."""
    if not type_token.startswith("azure-native"):
        return type_token
    return _API_VERSION.sub("", type_token)


def cloud_of_type(type_token: str) -> Cloud | None:
    """Return the cloud of a resource type, or None when no rule of ours covers its provider."""
    package = type_token.partition(":")[0]
    return _CLOUD_OF_PACKAGE.get(package)
