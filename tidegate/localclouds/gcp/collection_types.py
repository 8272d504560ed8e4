"""Every Google type that is kept as it was given, for the engine: one behaviour, told its kind."""

# ruff: noqa: ARG001, ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Call, CheckFailure, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.collection_shelf import Collections, check_kind
from tidegate.localclouds.gcp.google_type import GoogleType, is_same_resource
from tidegate.localclouds.gcp.kind import Kind

NEVER_SENT = frozenset({"deletionPolicy", "project"})


class CollectionType(GoogleType):
    """One kind of resource."""

    def __init__(self, collections: Collections, kind: Kind) -> None:
        self._collections = collections
        self._kind = kind
        self.shape = kind.shape
        self.token = kind.pulumi

    def list_free_spellings(self) -> Mapping[str, Callable[[str, str], bool]]:
        """Return the inputs that may be written in several ways: places, and what a kind adds."""
        return dict.fromkeys((*self._kind.freely, *self._kind.words[:-1]), is_same_resource)

    def place(self, inputs: Values, call: Call) -> str:
        """Return the full resource name."""
        return re.sub(
            r"\{(\w+)\}", lambda match: self._find_word(match[1], inputs, call), self._kind.path
        )

    def _find_word(self, word: str, inputs: Values, call: Call) -> str:
        given = inputs.get(word)
        # A prefix that the API gets too is of something else.
        is_own = f"{word}Prefix" in self.shape.provider_only
        prefix = inputs.get(f"{word}Prefix") if is_own else None
        if given is None and word == self._kind.id_input and prefix:
            return f"{prefix}{secrets.token_hex(13)}"
        if given is None and word == self._kind.id_input and self._kind.make_id:
            return self._kind.make_id(f"{call.urn}#{secrets.token_hex(8)}")
        if given is not None:
            return names.last_part(str(given))
        return _SETTINGS.get(word, _empty)(inputs, call)

    def build_body(self, inputs: Values) -> Body:
        """Return the REST body, without what its path says."""
        sent = {
            key: value
            for key, value in inputs.items()
            if key not in self._kind.words and key not in NEVER_SENT
        }
        body = super().build_body(sent)
        given = inputs.get(self._kind.id_input)
        if self._kind.body_name and isinstance(given, str):
            body["name"] = given
        return body

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what the cloud refuses."""
        yield from self._check_place(inputs, call)
        for failure in check_kind(self._kind, body):
            name = self._kind.id_input if failure.property == "name" else failure.property
            yield CheckFailure(name, failure.reason)

    def _check_place(self, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Refuse a zone or region that is none, and one that nobody says."""
        for word in ("location", "region", "zone"):
            if word not in self._kind.words:
                continue
            is_zone = word == "zone" or self._kind.zonal
            place = inputs.get(word)
            if place is None:
                place = _SETTINGS[word](inputs, call)
            form = names.ZONE if is_zone else names.REGION
            if isinstance(place, str) and not form.fullmatch(names.last_part(place)):
                sort = "zone" if is_zone else "region"
                yield CheckFailure(word, f"Invalid {sort} '{place}': expected {_EXAMPLES[sort]}.")

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it."""
        return self._collections.create(self._kind, name, body)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._collections.get(self._kind, name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._collections.save(self._kind, name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._collections.delete(self._kind, name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return where it is, and what its kind adds."""
        outputs: dict[str, Any] = self._kind.parse(name)
        if self._kind.shown_name == "full":
            outputs["name"] = name
        elif self._kind.body_name == "full":
            outputs["name"] = names.last_part(name)
        return {**outputs, **self._kind.outputs(name, body)}


def _empty(inputs: Values, call: Call) -> str:
    return ""


def _find_project(inputs: Values, call: Call) -> str:
    return names.project_of(inputs, call.settings)


def _find_region(inputs: Values, call: Call) -> str:
    return names.region_setting(call.settings)


def _find_zone(inputs: Values, call: Call) -> str:
    return str(call.settings.get("zone") or "")


_EXAMPLES = {"region": "one such as us-central1", "zone": "one such as us-central1-a"}
# How an input of the path is found when a program leaves it out.
_SETTINGS = {
    "project": _find_project,
    "region": _find_region,
    "location": _find_region,
    "zone": _find_zone,
}
