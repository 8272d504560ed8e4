"""One resource type of Azure: where it is, what it carries, what ARM holds it against."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.rest_shape import SAME, Shape
from tidegate.localclouds.rules import NO_RULES, TypeRules

Rule = Callable[[Any, Mapping[str, Any]], Iterator[CheckFailure]]


def refuse_nothing(name: Any, body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Say nothing: the rules of a type that data alone holds."""
    del name, body
    yield from ()


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in a body that holds the id of another resource, which must exist.

    Attributes:
        at: The place, in the spelling of `rules.find_values`.
        types: The resource types that may stand there; empty for any. What no API backs here is
            taken at its word.
    """

    at: str
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One resource type.

    Attributes:
        token: Pulumi's type token.
        type: Azure's resource type.
        names: For each step of the type, the Pulumi input with its name, or "=x" for a fixed x.
        envelope: Properties that stand beside `properties` in REST.
        check: Says what Azure refuses in a body, given the name and the whole body.
        shape: Where properties stand in `properties`, where the names differ.
        waits: Whether a change answers with an operation to poll.
        is_extension: Whether it hangs on a resource of another type, its input `scope`.
        is_global: Whether it may stand in the location "global".
        owns_properties: Whether the Pulumi input `properties` is REST's `properties` itself.
        has_state: Whether `properties` tell a provisioningState.
        gone_status: What a deletion answers with.
        name_pattern: The grammar of its name; `name_rule` is what is said of a bad one.
        required: Places in the body that Azure wants although the SDK lets them go.
        limits: Ranges and choices in the body, as `rules.py` writes them.
        references: What must exist.
        fixed: Places in `properties` that Azure never changes.
        defaults: What Azure fills in `properties`.
    """

    token: str
    type: str
    names: tuple[str, ...]
    envelope: frozenset[str]
    check: Rule = refuse_nothing
    shape: Shape = SAME
    waits: bool = False
    is_extension: bool = False
    is_global: bool = False
    owns_properties: bool = False
    has_state: bool = True
    gone_status: int = 200
    name_pattern: str = ""
    name_rule: str = ""
    required: tuple[str, ...] = ()
    limits: TypeRules = NO_RULES
    references: tuple[Reference, ...] = ()
    fixed: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def own_name(self) -> str:
        """The Pulumi input that names the resource itself."""
        return self.names[-1].removeprefix("=")

    @property
    def path_inputs(self) -> frozenset[str]:
        """The Pulumi inputs that are in the path and in no body."""
        if self.is_extension:
            return frozenset({"scope", *self.names})
        return frozenset({"resourceGroupName", *self.names})
