"""What the installed SDKs know of a resource type, derived when the type is first met.

Pulumi's Python SDKs carry, for each type: the resource class (its getters are the outputs), and
its `…Args` class (its properties are the inputs; parameters without a default are required).
Nested objects are `…Args` classes again, and azure-native's closed sets are enums. Nothing is
written type by type here, and a type nobody uses is never looked at.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import threading
import typing
import warnings
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from types import ModuleType, NoneType, UnionType
from typing import Any, get_args, get_origin

import pulumi
from pulumi.runtime import rpc

from tidegate.localclouds.naming import strip_version
from tidegate.sdks.imports import narrow_imports
from tidegate.vocabulary.problems import nearest

_LOADING = threading.RLock()
SDK_MODULES = {
    "aws": "pulumi_aws",
    "gcp": "pulumi_gcp",
    "azure-native": "pulumi_azure_native",
    "kubernetes": "pulumi_kubernetes",
}
OPEN_SETS = frozenset({"InstanceType", "PlacementStrategy", "KnownDataFlowStreams"})
"""Enums of an SDK that lag behind: pulumi_aws 7.51.1 lacks 32 of EC2's types, and partitions. Those
of Azure's data collection rules name the well-known streams; custom ones are Custom-…"""
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
OBJECT_MARKS = ("_pulumi_input_type", "_pulumi_output_type")
SCALARS: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


class UnknownType(LookupError):
    """No installed SDK has the type; the message says which is nearest."""


@dataclass(frozen=True)
class Shape:
    """The form of one value.

    Attributes:
        kind: "string", "boolean", "integer", "number", "list", "map", "object" or "any".
        item: The form of a list's elements or a map's values.
        arguments: The SDK's class of an object.
        choices: The closed set of a string, where the SDK has one.
        options: The objects that may stand here, told apart by their `mark`.
    """

    kind: str
    item: Shape | None = None
    arguments: type | None = field(default=None, compare=False)
    choices: tuple[Any, ...] = ()
    options: tuple[Shape, ...] = ()

    @cached_property
    def properties(self) -> Mapping[str, Shape]:
        """An object's properties by Pulumi name."""
        return derive_properties(self.arguments) if self.arguments else {}

    @cached_property
    def required(self) -> frozenset[str]:
        """Those of an object's properties that must be given."""
        return derive_required(self.arguments) if self.arguments else frozenset()

    @cached_property
    def mark(self) -> tuple[str, str] | None:
        """The property that tells this object from its alternatives, and its one value."""
        return derive_mark(self.arguments) if self.arguments else None

    def option_of(self, value: Any) -> Shape:
        """Return which of the options a value is, ANY where it does not tell."""
        if not self.options:
            return self
        given = value if isinstance(value, Mapping) else {}
        found = (option for option in self.options if option.mark and _has_mark(given, option.mark))
        return next(found, ANY)


def _has_mark(value: Mapping[str, Any], mark: tuple[str, str]) -> bool:
    return bool(value.get(mark[0]) == mark[1])


ANY = Shape("any")


@dataclass(frozen=True)
class ResourceSchema:
    """One resource type: its inputs as an object's form, and the names of its outputs."""

    token: str
    inputs: Shape
    outputs: frozenset[str]
    resource: type = field(compare=False)

    @cached_property
    def results(self) -> Mapping[str, Shape]:
        """The forms of the outputs: azure-native's differ from those of the inputs in places."""
        return derive_properties(self.resource)


@cache
def load_schema(type_token: str) -> ResourceSchema:
    """Derive a type's schema from its SDK.

    Raises:
        UnknownType: When the SDK has no such type.
    """
    resource = find_class(type_token)
    module = sys.modules[resource.__module__]
    return ResourceSchema(
        type_token,
        Shape("object", arguments=_find_arguments(module, resource)),
        frozenset(name for name, _ in _pulumi_properties(resource)),
        resource,
    )


def _find_arguments(module: ModuleType, resource: type) -> type | None:
    """Return the class of the inputs: "<Name>Args", or "<Name>InitArgs" where that name is taken.

    It is taken where another type nests an object of the name (s3.BucketVersioning).
    """
    names = (f"{resource.__name__}Args", f"{resource.__name__}InitArgs")
    candidates = (getattr(module, name, None) for name in names)
    own = [cls for cls in candidates if cls is not None and cls.__module__ == module.__name__]
    return own[0] if own else None


def find_class(type_token: str) -> type:
    """Return the SDK's class for a type token."""
    type_token = strip_version(type_token)
    package = type_token.split(":", 1)[0]
    classes = _class_index(package)
    if type_token not in classes:
        hint = nearest(type_token, classes)
        raise UnknownType(
            f"unrecognized resource type {type_token}" + (f"; did you mean {hint}?" if hint else "")
        )
    module, name = classes[type_token]
    found = _import_class(module, name)
    if not isinstance(found, type):
        raise UnknownType(f"{type_token} is no resource class in {module}")
    return found


def _import_class(module: str, name: str) -> Any:
    # The SDKs load their modules lazily at the first look inside, which is not safe for two
    # threads: the second finds a module half filled.
    with _LOADING, warnings.catch_warnings():
        # Some SDK modules, loaded lazily, warn of their own deprecated classes when first used.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = _import_narrowly(module, name)
        return found or getattr(importlib.import_module(module), name)


def _import_narrowly(module: str, name: str) -> Any:
    """Import the one file that a class is in, None where it is not called after the class."""
    with narrow_imports(module):
        for file in (_WORD.sub("_", name).lower(), name):
            try:
                return getattr(importlib.import_module(f"{module}.{file}"), name, None)
            except ModuleNotFoundError:
                continue
    return None


@cache
def _class_index(package: str) -> Mapping[str, tuple[str, str]]:
    """Map type tokens to (module, class) as the SDK registers them with Pulumi's runtime."""
    if package not in SDK_MODULES:
        raise UnknownType(f"no local cloud for package {package}")
    importlib.import_module(SDK_MODULES[package])
    infos = [
        getattr(module, "mod_info", {})
        for modules in rpc._RESOURCE_MODULES.values()  # noqa: SLF001 - nothing public lists them
        for module in modules
    ]
    return {
        token: (info["fqn"], name)
        for info in infos
        if info.get("pkg") == package
        for token, name in info["classes"].items()
    }


def _pulumi_properties(cls: type) -> Iterator[tuple[str, property]]:
    for base in reversed(cls.__mro__):
        for attribute in vars(base).values():
            if isinstance(attribute, property):
                name = getattr(attribute.fget, "_pulumi_name", None)
                if name is not None:
                    yield name, attribute


def derive_properties(arguments: type) -> dict[str, Shape]:
    """Return the form of each property of an `…Args`, output or resource class."""
    scope = {**vars(sys.modules[arguments.__module__]), "Output": pulumi.Output, "T": NoneType}
    return {
        name: derive_shape(_read_hint(attribute.fget, scope))
        for name, attribute in _pulumi_properties(arguments)
    }


def _read_hint(getter: Any, scope: dict[str, Any]) -> Any:
    """Return what a getter returns, names resolved in the scope of its own module.

    `typing` shares one object among equal annotations, so `Sequence["BucketLifecycleRuleArgs"]` of
    two SDKs is one, and it keeps what it was first resolved to, unless local names are given apart.
    """
    return typing.get_type_hints(getter, globalns=scope, localns={})["return"]


def derive_required(arguments: type) -> frozenset[str]:
    """Return the Pulumi names of the parameters that have no default."""
    parameters = inspect.signature(arguments.__init__).parameters  # type: ignore[misc]
    python_names = {
        name
        for name, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and not name.startswith("__")
    }
    names = {
        key: attribute.fget._pulumi_name  # type: ignore[union-attr]  # noqa: SLF001 - its only source
        for key, attribute in vars(arguments).items()
        if isinstance(attribute, property)
    }
    return frozenset(names[name] for name in python_names if name in names)


def derive_mark(arguments: type) -> tuple[str, str] | None:
    """Return what tells a class from its alternatives: azure-native says it in the description."""
    for name, attribute in _pulumi_properties(arguments):
        found = re.search(r"Expected value is '([^']+)'", attribute.fget.__doc__ or "")
        if found:
            return name, found[1]
    return None


def derive_shape(hint: Any) -> Shape:
    """Return the form that a type annotation of an SDK describes."""
    if get_origin(hint) is pulumi.Output:  # alone: the output of a resource
        return derive_shape(get_args(hint)[0])
    options = [option for option in _flatten(hint) if not _is_deferred(option)]
    shapes = [_derive_plain(option) for option in options]
    choices = tuple(choice for shape in shapes for choice in shape.choices)
    kinds = {shape.kind for shape in shapes}
    if kinds == {"string"}:
        return Shape("string", choices=choices)
    objects = [shape for shape in shapes if shape.arguments]
    if len(objects) == 1 and kinds <= {"object", "map", "any"}:
        return objects[0]
    if len(objects) == len(shapes) > 1 and len({mark[0] for mark in _marks(objects)}) == 1:
        return Shape("object", options=tuple(objects))
    return shapes[0] if len(shapes) == 1 else ANY


def _marks(objects: Sequence[Shape]) -> list[tuple[str, str]]:
    return [shape.mark or ("", "") for shape in objects]


def _flatten(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (typing.Union, UnionType):
        for option in get_args(hint):
            yield from _flatten(option)
    else:
        yield hint


def _is_deferred(option: Any) -> bool:
    origin = get_origin(option) or option
    return origin in (NoneType, Awaitable, pulumi.Output)


def _derive_plain(option: Any) -> Shape:
    origin = get_origin(option)
    if option in SCALARS:
        return Shape(SCALARS[option])
    if origin in (Sequence, list):
        return Shape("list", item=derive_shape(get_args(option)[0]))
    if origin in (Mapping, dict):
        return Shape("map", item=derive_shape(get_args(option)[1]))
    if isinstance(option, type) and option.__name__ in OPEN_SETS:
        return Shape("string")
    if isinstance(option, type) and issubclass(option, Enum):
        return Shape("string", choices=tuple(choice.value for choice in option))
    if isinstance(option, type) and any(hasattr(option, mark) for mark in OBJECT_MARKS):
        return Shape("object", arguments=option)
    return ANY
