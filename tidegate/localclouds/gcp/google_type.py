"""What every Google type that an API backs has in common, from check to delete."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from tidegate.localclouds.bodies import Body, apply_changes
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.rest_shape import (
    Shape,
    build_properties,
    build_rest,
    pulumi_place,
)
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record
from tidegate.localclouds.stored import StoredType

DELETION_POLICIES = ("DELETE", "ABANDON", "PREVENT")


class GoogleType(StoredType, ABC):
    """A type whose one truth is its REST body; subclasses say where it is and who keeps it.

    Attributes:
        shape: Where its properties stand in REST.
        spelled_freely: Input property → tells whether two spellings mean the same; then what was
            asked for is read back as it was written.
    """

    backing = "api"
    shape: Shape
    spelled_freely: ClassVar[Mapping[str, Callable[[str, str], bool]]] = MappingProxyType({})

    # What a subclass says.

    @abstractmethod
    def place(self, inputs: Values, call: Call) -> str:
        """Return the full resource name, which is also the id."""

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what the cloud refuses, with places in the REST body."""
        yield from ()

    @abstractmethod
    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it and return the body as the cloud keeps it."""

    @abstractmethod
    def load(self, name: str) -> Body:
        """Return the body; `NotFoundError` when it is gone."""

    @abstractmethod
    def save(self, name: str, body: Body) -> Body:
        """Keep a changed body and return it as the cloud keeps it."""

    @abstractmethod
    def remove(self, name: str, inputs: Values) -> None:
        """Delete it; `NotFoundError` when it is gone."""

    def list_free_spellings(self) -> Mapping[str, Callable[[str, str], bool]]:
        """Return the inputs that may be written in several ways, each with its comparison."""
        return self.spelled_freely

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return outputs that the body does not show under a name of its own."""
        return {}

    # What the core calls.

    def build_body(self, inputs: Values) -> Body:
        """Return the REST body that the inputs ask for."""
        return build_rest(self.shape, inputs)

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Say what the cloud refuses, in Pulumi's spelling."""
        policy = inputs.get("deletionPolicy")
        if isinstance(policy, str) and policy not in DELETION_POLICIES:
            known = ", ".join(DELETION_POLICIES)
            yield CheckFailure("deletionPolicy", f"expected one of [{known}], got '{policy}'")
        for failure in self.judge(self.build_body(inputs), inputs, call):
            yield CheckFailure(pulumi_place(self.shape, failure.property), failure.reason)

    def create(self, inputs: Values, call: Call) -> Created:
        """Create it in the cloud."""
        name = self.place(inputs, call)
        body = self.insert(name, self.build_body(add_default_labels(inputs, call)), inputs, call)
        return Created(name, self._show(name, body, inputs, call))

    def read(self, record: Record, call: Call) -> Values | None:
        """Return what is live."""
        try:
            body = self.load(record.id)
        except NotFoundError:
            return None
        return self._show(record.id, body, record.inputs, call)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Carry what changed over to the live body."""
        live = self.load(record.id)
        before, after = (self.build_body(add_default_labels(each, call)) for each in (old, new))
        body = self.save(record.id, apply_changes(live, before, after))
        return self._show(record.id, body, new, call)

    def _show(self, name: str, body: Body, inputs: Values, call: Call) -> Values:
        return hide_default_labels(self.build_outputs(name, body, inputs), inputs, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete it, unless its deletion policy says otherwise."""
        policy = record.inputs.get("deletionPolicy")
        if policy == "PREVENT":
            raise CloudError(
                "DELETION_PREVENTED",
                f"cannot destroy {record.id}: its deletionPolicy is PREVENT",
            )
        if policy == "ABANDON":
            return
        try:
            self.remove(record.id, record.inputs)
        except NotFoundError:
            return

    def adopt(self, id: str, call: Call) -> Values | None:
        """Return the inputs of a live resource that no program made."""
        try:
            body = self.load(id)
        except NotFoundError:
            return None
        return self.build_outputs(id, body, {})

    def build_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return all outputs of a body, what was asked for in the spelling it was asked in."""
        outputs = build_properties(self.shape, body)
        outputs |= self.compute_outputs(name, body, inputs)
        for key, is_same in self.list_free_spellings().items():
            asked, live = inputs.get(key), outputs.get(key)
            if isinstance(asked, str) and isinstance(live, str) and is_same(asked, live):
                outputs[key] = asked
        return outputs


def is_same_case(asked: str, live: str) -> bool:
    """Tell whether two words differ in case alone."""
    return asked.casefold() == live.casefold()


def is_same_resource(asked: str, live: str) -> bool:
    """Tell whether a URL, a relative name or a short name mean the same resource."""
    return asked.rstrip("/").rsplit("/", 1)[-1] == live.rstrip("/").rsplit("/", 1)[-1]


def _find_default_labels(call: Call) -> tuple[str, Values]:
    """Return the input that a type's billing labels stand in, and the provider's own labels."""
    schema = load_schema(call.type_token)
    defaults = dict(call.settings.get("defaultLabels") or {})
    if not defaults or "effectiveLabels" not in schema.outputs:
        return "", {}
    return ("labels" if "labels" in schema.inputs.properties else "resourceLabels"), defaults


def add_default_labels(inputs: Values, call: Call) -> Values:
    """Return the inputs with the provider's default labels, which the cloud gets too."""
    word, defaults = _find_default_labels(call)
    given = inputs.get(word) or {}
    return {**inputs, word: {**defaults, **given}} if word else inputs


def hide_default_labels(outputs: Values, inputs: Values, call: Call) -> Values:
    """Return the outputs without default labels that the resource itself does not ask for."""
    word, defaults = _find_default_labels(call)
    asked = inputs.get(word) or {}
    if not word or not isinstance(outputs.get(word), dict):
        return outputs
    own = {
        key: value
        for key, value in outputs[word].items()
        if key in asked or defaults.get(key) != value
    }
    return {**outputs, word: own}


def labels_of(inputs: Mapping[str, Any]) -> Values:
    """Return a type's billing labels, whatever they are called."""
    return dict(inputs.get("labels") or inputs.get("resourceLabels") or {})
