"""Reads a component's arguments: plain, typed, strict, with every fault reported at once.

Arguments arrive as a mapping, from a Python program as well as from a component host. What
enters the capacity manifest must be a plain value, because the manifest has to be known, and
refused, before anything is created.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, TypeVar

from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.labels import CostLabels, parse_cost_labels
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest
from tidegate_components.deferred import is_deferred

Choice = TypeVar("Choice", bound=StrEnum)
Value = TypeVar("Value")

_STAND_IN_LABELS = CostLabels("none", "none", "none", "none", WorkloadClass.PLATFORM, "none")
"""Carries reading past refused labels; never leaves a reader, because `finish` raises."""


class Arguments:
    """One mapping of arguments, checked against the keys of its TypedDict.

    Reading goes on after a fault with a harmless stand-in, so that `finish` can raise all faults
    together.

    Attributes:
        where: The resource as the user knows it ("pool train-h100").
        problems: What was found so far; shared with nested readers.
    """

    def __init__(
        self,
        where: str,
        raw: object,
        shape: type[Any],
        *,
        path: str = "",
        problems: list[Problem] | None = None,
    ) -> None:
        self.where = where
        self.problems: list[Problem] = [] if problems is None else problems
        self._path = path
        self._raw: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        if not isinstance(raw, Mapping):
            self._report(path, raw, "is not an object", f"the keys of {shape.__name__}")
        known = shape.__required_keys__ | shape.__optional_keys__
        for key in self._raw:
            if key not in known:
                hint = suggest(str(key), known)
                expected = f"one of {', '.join(sorted(known))}"
                self._report(self._at(key), None, f"is not an argument{hint}", expected)

    def refuse(self, key: str, value: object, reason: str, expected: str = "") -> None:
        """Note one fault of the argument `key`."""
        self._report(self._at(key), value, reason, expected)

    def finish(self) -> None:
        """Raise every fault noted so far.

        Raises:
            InvalidInput: When there is at least one.
        """
        if self.problems:
            # An object that is read twice says its faults twice.
            raise InvalidInput(list(dict.fromkeys(self.problems)))

    def has(self, key: str) -> bool:
        """Return whether the argument was given a value."""
        return self._raw.get(key) is not None

    def input(self, key: str) -> Any:
        """Return an argument that may be an Output, as it is; None when absent."""
        return self._raw.get(key)

    def plain(self, key: str) -> Any:
        """Return a plain value; None when absent or when it is known only after creation."""
        value = self._raw.get(key)
        if is_deferred(value):
            reason = "is an Output, but enters the capacity manifest, which is needed beforehand"
            self._report(self._at(key), None, reason, "a plain value")
            return None
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; required when there is no default."""
        value = self.plain(key)
        if value is None:
            return self._absent(key, default, "")
        if not isinstance(value, str) or not value:
            self.refuse(key, value, "is not a text", "a non-empty string")
            return default or ""
        return value

    def whole(self, key: str, default: int | None = None, *, minimum: int = 0) -> int:
        """Return a whole number of at least `minimum`; required when there is no default."""
        value = self.plain(key)
        if value is None:
            return self._absent(key, default, minimum)
        number = _whole(value)
        if number is None or number < minimum:
            self.refuse(key, value, "is out of range", f"a whole number of at least {minimum}")
            return minimum
        return number

    def optional_whole(self, key: str, *, minimum: int = 0) -> int | None:
        """Return a whole number, or None when the argument is absent."""
        return self.whole(key, minimum, minimum=minimum) if self._raw.get(key) is not None else None

    def decimal(self, key: str) -> Decimal | None:
        """Return an amount without binary fractions; None when absent or not a number."""
        value = self.plain(key)
        if value is None:
            return None
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal("NaN")
        if isinstance(value, bool) or not amount.is_finite() or amount < 0:
            self.refuse(key, value, "is not an amount", "a number of at least 0")
            return None
        return amount

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.plain(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.refuse(key, value, "is neither true nor false", "true or false")
        return default

    def choice(self, key: str, kind: type[Choice], default: Choice | None = None) -> Choice:
        """Return a member of an enum by its value; required when there is no default."""
        value = self.plain(key)
        fallback = next(iter(kind)) if default is None else default
        if value is None:
            return self._absent(key, default, fallback)
        values = [member.value for member in kind]
        if value in values:
            return kind(value)
        hint = suggest(str(value), values)
        self.refuse(key, value, f"is not known{hint}", f"one of {', '.join(values)}")
        return fallback

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty when absent."""
        value = self.plain(key)
        if value is None:
            return ()
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.refuse(key, value, "is not a list", "a list of strings")
            return ()
        for index, item in enumerate(value):
            if not isinstance(item, str) or not item:
                self.refuse(f"{key}[{index}]", _shown(item), "is not a text", "a plain string")
        return tuple(item for item in value if isinstance(item, str) and item)

    def text_map(self, key: str) -> dict[str, str]:
        """Return a mapping of strings; empty when absent."""
        value = self.plain(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.refuse(key, value, "is not an object", "keys with plain strings")
            return {}
        for name, item in value.items():
            if not isinstance(item, str):
                self.refuse(f"{key}.{name}", _shown(item), "is not a text", "a plain string")
        return {name: item for name, item in value.items() if isinstance(item, str)}

    def whole_map(self, key: str) -> dict[str, int]:
        """Return a mapping of whole numbers of at least 0; empty when absent."""
        value = self.plain(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.refuse(key, value, "is not an object", "keys with whole numbers")
            return {}
        numbers = {str(name): _whole(item) for name, item in value.items()}
        found = {name: number for name, number in numbers.items() if number is not None}
        for name, item in value.items():
            if found.get(name, -1) < 0:
                expected = "a whole number of at least 0"
                self.refuse(f"{key}.{name}", _shown(item), "is out of range", expected)
        return {name: number for name, number in found.items() if number >= 0}

    def cost_labels(self, key: str = "labels") -> CostLabels:
        """Return the cost labels, checked once for all clouds."""
        raw = self.plain(key)
        if not isinstance(raw, Mapping):
            self.refuse(key, _shown(raw), "is no set of cost labels", "the required cost labels")
            return _STAND_IN_LABELS
        deferred = [name for name, value in raw.items() if is_deferred(value)]
        for name in deferred:
            reason = "is an Output, but enters the capacity manifest"
            self.refuse(f"{key}.{name}", None, reason, "a plain value")
        # An empty label is dropped, as clouds do, rather than sent and reported as a change.
        given = {name: value for name, value in raw.items() if value != "" and name not in deferred}
        try:
            return parse_cost_labels(self.where, given)
        except InvalidInput as error:
            hidden = {f"labels.{name}" for name in deferred}
            kept = [problem for problem in error.problems if problem.property not in hidden]
            self.problems += [
                replace(problem, property=self._at(problem.property)) for problem in kept
            ]
            return _STAND_IN_LABELS

    def nested(self, key: str, shape: type[Any]) -> Arguments | None:
        """Return a reader of a nested object; None when absent."""
        value = self.plain(key)
        if value is None:
            return None
        return self._inner(value, shape, self._at(key))

    def nested_list(self, key: str, shape: type[Any]) -> list[Arguments]:
        """Return a reader for each object of a list; empty when absent."""
        value = self.plain(key)
        if value is None:
            return []
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.refuse(key, value, "is not a list", "a list of objects")
            return []
        return [
            self._inner(item, shape, self._at(f"{key}[{index}]"))
            for index, item in enumerate(value)
        ]

    def nested_map(self, key: str, shape: type[Any]) -> dict[str, Arguments]:
        """Return a reader for each object of a mapping, by its key; empty when absent."""
        value = self.plain(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.refuse(key, value, "is not an object", "keys with an object each")
            return {}
        return {
            str(name): self._inner(item, shape, self._at(f"{key}.{name}"))
            for name, item in value.items()
        }

    def adopt(self, error: InvalidInput, key: str) -> None:
        """Note the faults that a look-up found, as faults of the argument `key`."""
        self.problems += [
            replace(problem, where=self.where, property=self._at(key)) for problem in error.problems
        ]

    def _inner(self, value: object, shape: type[Any], path: str) -> Arguments:
        return Arguments(self.where, value, shape, path=path, problems=self.problems)

    def _absent(self, key: str, default: Value | None, stand_in: Value) -> Value:
        if default is not None:
            return default
        if not is_deferred(self._raw.get(key)):
            self.refuse(key, None, "is required and is missing", "a value")
        return stand_in

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path and key else self._path or key

    def _report(self, path: str, value: object, reason: str, expected: str) -> None:
        shown = "" if value is None else repr(value) if isinstance(value, str) else str(value)
        self.problems.append(Problem(self.where, path, shown, reason, expected))


def gather_inputs(
    where: str,
    cloud: str,
    own: Any,
    required: Sequence[str],
    optional: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what one cloud's nested arguments hold of Inputs; absent optional ones are None.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    given = dict(own or {})
    require_inputs(where, {f"{cloud}.{key}": given.get(key) for key in required})
    return {**dict.fromkeys(optional), **given}


def require_inputs(where: str, given: Mapping[str, Any]) -> None:
    """Refuse a component whose Inputs (cluster, subnets, roles) are missing.

    Raises:
        InvalidInput: With one problem for each missing Input.
    """
    missing = [
        Problem(where, key, "", "is required and is missing", "a value or an Output")
        for key, value in given.items()
        if value is None
    ]
    if missing:
        raise InvalidInput(missing)


def _shown(value: object) -> object:
    return "an Output" if is_deferred(value) else value


def _whole(value: object) -> int | None:
    """Return a whole number; component hosts send them as floats."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if value == int(value) else None
