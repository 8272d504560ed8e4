"""Typed access to a text document that collects every fault before it refuses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from tidegate.catalog.yaml_text import parse_yaml_text
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse, suggest

CURRENCY = re.compile(r"[A-Z]{3}")
SHOWN_CHOICES = 8
DIGITS_BEFORE_POINT = 12
"""No price, rate or size of a machine is longer; a slip in an exponent is."""
NO_DAY = date.min
"""Stands for a day that could not be read; never leaves, since `finish` refuses."""


def open_document(text: str, file_name: str) -> Fields:
    """Return the fields of a document's top level.

    Raises:
        InvalidInput: When the text is no YAML or no mapping.
    """
    document = parse_yaml_text(text, file_name)
    if not isinstance(document, dict):
        expected = "a mapping that begins with `version:`"
        raise refuse(file_name, "", None, "is not a mapping of keys to values", expected)
    return Fields(file_name, "", document, [])


@dataclass(frozen=True, slots=True)
class Fields:
    """One mapping of the document, where it stands, and the faults found so far.

    Readers return a harmless value after a fault; `finish` then raises them all together.
    """

    file_name: str
    path: str
    values: Mapping[str, Any]
    faults: list[Problem] = field(repr=False)
    below: Mapping[str, Any] = field(default_factory=dict)
    """Defaults: what counts where this mapping says nothing."""

    def over(self, defaults: Fields) -> Fields:
        """Return the same fields with defaults below them."""
        return Fields(self.file_name, self.path, self.values, self.faults, defaults.values)

    def fault(self, key: str, value: str, reason: str, expected: str) -> None:
        """Note one fault of this document."""
        place = f"{self.path}.{key}" if self.path and key else self.path or key
        self.faults.append(Problem(self.file_name, place, value, reason, expected))

    def adopt(self, key: str, error: InvalidInput) -> None:
        """Note the problems of a look-up as faults of the key that asked for it."""
        for problem in error.problems:
            self.fault(key, problem.value, problem.reason, problem.expected)

    def finish(self) -> None:
        """Refuse the document when anything was wrong.

        Raises:
            InvalidInput: With every fault.
        """
        if self.faults:
            raise InvalidInput(self.faults)

    def allow(self, keys: Collection[str]) -> None:
        """Note every key that is not one of these, with the nearest that is."""
        for key, value in self.values.items():
            if key not in keys:
                hint = suggest(key, keys)
                shown = repr(value) if isinstance(value, str) else ""
                self.fault(key, shown, f"is not a known key{hint}", f"one of {', '.join(keys)}")

    def has(self, key: str) -> bool:
        """Return whether the key is written or has a default."""
        return key in self.values or key in self.below

    def _raw(self, key: str) -> Any:
        return self.values.get(key, self.below.get(key))

    def _scalar(self, key: str, what: str) -> str | None:
        value = self._raw(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if value is None or value == "":
            self.fault(key, "", "is missing", what)
        else:
            self.fault(key, "", "is not a single value", what)
        return None

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text."""
        if default is not None and not self.has(key):
            return default
        return self._scalar(key, "a text") or ""

    def choice(self, key: str, known: Collection[str]) -> str:
        """Return one of the known words; empty after a fault."""
        listed = sorted(known)
        short = ", ".join(listed[:SHOWN_CHOICES]) + (", …" if len(listed) > SHOWN_CHOICES else "")
        value = self._scalar(key, f"one of {short}")
        if value is None or value in known:
            return value or ""
        hint = suggest(value, known)
        self.fault(key, repr(value), f"is not known{hint}", f"one of {short}")
        return ""

    def choices(self, key: str, known: Collection[str], default: list[str]) -> list[str]:
        """Return a list of known words."""
        if not self.has(key):
            return default
        value = self._raw(key)
        words = value if isinstance(value, list) else [value]
        for word in words:
            if word not in known:
                self.fault(key, repr(word), "is not known", f"of {', '.join(sorted(known))}")
        return [word for word in words if word in known]

    def words(self, key: str) -> list[str]:
        """Return a list of texts; empty when it is not written."""
        value = self._raw(key)
        if value is None or value == "":
            return []
        words = value if isinstance(value, list) else [value]
        if all(isinstance(word, str) and word for word in words):
            return list(words)
        self.fault(key, "", "is not a list of texts", "a list of texts")
        return []

    def positive(self, key: str, at_most: int | None = None) -> Decimal:
        """Return a decimal above zero."""
        what = "a decimal number above 0" + (f", at most {at_most}" if at_most else "")
        value = self._scalar(key, what)
        if value is None:
            return Decimal(1)
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal(0)
        sane = number.is_finite() and number > 0 and abs(number.adjusted()) < DIGITS_BEFORE_POINT
        if not sane or (at_most is not None and number > at_most):
            self.fault(key, repr(value), "is out of range or no number", what)
            return Decimal(1)
        return number

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a whole number, 0 or more."""
        if default is not None and not self.has(key):
            return default
        value = self._scalar(key, "a whole number")
        if value is not None and value.isdecimal():
            return int(value)
        if value is not None:
            self.fault(key, repr(value), "is no whole number", "digits only")
        return 0

    def day(self, key: str) -> date:
        """Return a day."""
        value = self._scalar(key, "a day, YYYY-MM-DD")
        if value is None:
            return NO_DAY
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fault(key, repr(value), "is no day", "a day, YYYY-MM-DD")
            return NO_DAY

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        if not self.has(key):
            return default
        return self.choice(key, ["true", "false"]) == "true"

    def currency(self, key: str, default: str) -> str:
        """Return a currency code."""
        code = self.text(key, default=default)
        self.check_currency(code, key)
        return code

    def check_currency(self, code: str, key: str = "") -> None:
        """Note a fault when this is no currency code."""
        if not CURRENCY.fullmatch(code):
            expected = "three capital letters (ISO 4217), such as EUR"
            self.fault(key or code, repr(code), "is no currency code", expected)

    def section(self, key: str) -> Fields:
        """Return a mapping below this one; empty when it is not written."""
        value = self._raw(key)
        if value is None or value == "":
            value = {}
        if not isinstance(value, dict):
            self.fault(key, "", "is not a mapping of keys to values", "a mapping")
            value = {}
        place = f"{self.path}.{key}" if self.path else key
        return Fields(self.file_name, place, value, self.faults)

    def sections(self) -> Iterator[tuple[str, Fields]]:
        """Return every mapping below this one by its key."""
        for key in self.values:
            yield key, self.section(key)

    def entries(self, key: str) -> Iterator[Fields]:
        """Return the mappings of a list; none when it is not written."""
        value = self._raw(key)
        if value is None or value == "":
            return
        if not isinstance(value, list):
            self.fault(key, "", "is not a list", "a list of mappings, each beginning with `- `")
            return
        for index, entry in enumerate(value):
            place = f"{self.path}.{key}[{index}]" if self.path else f"{key}[{index}]"
            if isinstance(entry, dict):
                yield Fields(self.file_name, place, entry, self.faults)
            else:
                self.faults.append(
                    Problem(self.file_name, place, repr(entry), "is not a mapping", "a mapping")
                )
