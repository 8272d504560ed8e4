"""What is said of a resource type that Google keeps as it was given.

Most of Google's resource types differ in little: where their collection is, what their names may
be, which fields the API adds, what they refer to. That is data here. `collection_shelf.py` keeps
them, `collection_types.py` shows them to the engine, the faces to Google's SDKs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import CheckFailure, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.rest_shape import Shape
from tidegate.localclouds.shelf import Shelf

Rule = Callable[[Body], Iterator[CheckFailure]]


@dataclass(frozen=True, slots=True)
class Rest:
    """How a plain REST API (not Compute's) serves a collection.

    Attributes:
        version: What the path begins with: "v1".
        items: The key of the list that a list answers.
        create: "PUT" on the resource itself, or "POST" on its collection.
        id_at: Where a POST says the id: "?instanceId" in the query, "roleId" in the body; empty
            where the API makes one.
        wrapper: The key of the resource in the body of a create; empty where it is the body.
        patch_wrapper: The same in the body of a patch, beside `updateMask`.
        waits: The methods that answer a long-running operation, which has ended here.
        verbs: What can be done with one that exists.
    """

    version: str
    items: str
    create: str = "POST"
    id_at: str = ""
    wrapper: str = ""
    patch_wrapper: str = ""
    waits: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ("GET", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a body may name that has to exist.

    Attributes:
        at: Path in the body; `[]` for each element of a list, `{}` for each value of a map.
        find: Says what is wrong with a value: given the shelf, the full name of the resource that
            refers, and the value; empty when what it names exists.
    """

    at: str
    find: Callable[[Shelf, str, str], str]


def _nothing(name: str, body: Body) -> None:
    """Fill nothing in."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One resource type.

    Attributes:
        pulumi: Pulumi's type token.
        name: The API's own name for the kind: "pubsub.googleapis.com/Topic".
        path: The full resource name, with Pulumi's inputs in braces. The last one is the id.
        shape: Where its properties stand in REST.
        rest: How its REST API serves it; None for Compute's kinds, which `compute_face` serves.
        rules: What the cloud refuses in a body.
        references: What has to exist.
        fill: Completes a new or changed body as the cloud does, given the full name.
        in_use: Says what still uses one that is to be deleted; empty for nothing.
        after_delete: Carries a deletion over to what belonged to it.
        private: Fields of the body that the API does not show.
        labels: Paths of the labels in the body, as `find_all` reads them.
        body_name: How the body shows the name: "full", "short", or "" for not at all.
        shown_name: How Pulumi's output `name` shows it.
        make_id: Makes the id where nobody gives one, from a seed.
        freely: Pulumi inputs whose spelling is kept where they mean the same resource.
        outputs: Computed outputs beyond the body's fields.
        message: The message of `google.cloud.compute_v1` that an inserted body is held against.
        zonal: Whether its location is a zone.
    """

    pulumi: str
    name: str
    path: str
    shape: Shape = field(default_factory=Shape)
    rest: Rest | None = None
    rules: tuple[Rule, ...] = ()
    references: tuple[Reference, ...] = ()
    fill: Callable[[str, Body], None] = _nothing
    in_use: Callable[[Shelf, str], str] = lambda _shelf, _name: ""
    after_delete: Callable[[Shelf, str], None] = lambda _shelf, _name: None
    private: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()
    body_name: str = "full"
    shown_name: str = "short"
    make_id: Callable[[str], str] | None = None
    freely: tuple[str, ...] = ()
    outputs: Callable[[str, Body], Values] = lambda _name, _body: {}
    message: str = ""
    zonal: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The Pulumi inputs that the path is made of, the id last."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @property
    def id_input(self) -> str:
        """The Pulumi input that is the last part of the name."""
        return self.words[-1]

    def parent(self, name: str) -> str:
        """Return the collection that a full name stands in, without its last word."""
        return name.rsplit("/", 2)[0]

    def parse(self, name: str) -> dict[str, str]:
        """Return the path's inputs of a full name."""
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.path))
        match = re.fullmatch(pattern, name)
        return match.groupdict() if match else {}

    def show(self, body: Mapping[str, Any]) -> Body:
        """Return the body as the API shows it."""
        return {key: value for key, value in body.items() if key not in self.private}

    def show_name(self, name: str) -> str:
        """Return the name as the REST body has it."""
        return name if self.body_name == "full" else names.last_part(name)


def find_all(body: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield (place, value) at a path: "properties.disks[].source", "selections{}.disks"."""
    found: list[tuple[str, Any]] = [("", body)]
    for part in re.findall(r"[^.\[\]{}]+|\[\]|\{\}", path):
        found = [hit for place, value in found for hit in _step(place, value, part)]
    yield from found


def _step(place: str, value: Any, part: str) -> Iterator[tuple[str, Any]]:
    if part == "[]" and isinstance(value, list):
        yield from ((f"{place}[{index}]", item) for index, item in enumerate(value))
    elif part == "{}" and isinstance(value, Mapping):
        yield from ((f"{place}.{key}", item) for key, item in value.items())
    elif isinstance(value, Mapping) and value.get(part) is not None:
        yield (f"{place}.{part}" if place else part), value[part]
