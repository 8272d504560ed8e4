"""The behaviour of every type that no cloud API backs here: validated, named and kept."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable

from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.naming import identify
from tidegate.localclouds.store import Record


class StoredType:
    """A type that is validated and kept, with no API behind it: the default for every type."""

    backing = "stored"

    def prepare(self, inputs: Values, call: Call) -> Values:
        """Keep the inputs as they are."""
        return inputs

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse nothing beyond what the core refuses."""
        return ()

    def replacements(self, old: Values, new: Values, call: Call) -> Iterable[str]:
        """Force nothing beyond the data file."""
        return ()

    def create(self, inputs: Values, call: Call) -> Created:
        """Keep it under an id from its names (see `naming.identify`)."""
        return Created(identify(inputs, call), {})

    def read(self, record: Record, call: Call) -> Values | None:
        """Return what was answered last."""
        return record.outputs

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Keep the computed outputs; the core lays the new inputs over them."""
        return {key: value for key, value in record.outputs.items() if key not in old}

    def delete(self, record: Record, call: Call) -> None:
        """Nothing but the record."""

    def adopt(self, id: str, call: Call) -> Values | None:
        """Know nothing that the store does not know."""
        return None
