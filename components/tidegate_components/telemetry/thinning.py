"""Which entries of a stream are not kept: exclusions and sampling, read and checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from tidegate_components.arguments import Arguments
from tidegate_components.telemetry import args as shapes

WHOLE = Decimal(100)
SAMPLING = "sampling"
"""The name of a sink's exclusion that leaves a sample."""

MOST_EXCLUSIONS = 50
"""A Cloud Logging sink takes at most 50 exclusions, the one for sampling among them."""

# Keys and values go into three query languages in quotes; none of them may end the quotes.
_UNQUOTABLE = re.compile(r"[\"\\\x00-\x1f']")


class Severity(StrEnum):
    """How severe an entry is, in OpenTelemetry's names, ascending."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"
    FATAL = "FATAL"

    @property
    def number(self) -> int:
        """The least number of this severity in OpenTelemetry's log data model."""
        return {"DEBUG": 5, "INFO": 9, "WARN": 13, "ERROR": 17, "FATAL": 21}[self.value]


@dataclass(frozen=True, slots=True)
class ExclusionSpec:
    """Entries that are not taken; every condition that is stated holds of them."""

    name: str
    severity_below: Severity | None
    attributes: tuple[tuple[str, str], ...]
    expected_share: Decimal | None


@dataclass(frozen=True, slots=True)
class SamplingSpec:
    """Of entries below a severity, the percentage that is kept."""

    percent: Decimal
    keep_severity: Severity


def parse_exclusions(read: Arguments) -> tuple[ExclusionSpec, ...]:
    """Return the stream's exclusions; their expected shares add up to 1 at most."""
    found = [_exclusion(each) for each in read.nested_list("exclusions", shapes.ExclusionArgs)]
    names = [each.name for each in found]
    for index, name in enumerate(names):
        if name and name in names[:index]:
            read.refuse(f"exclusions[{index}].name", name, "is there twice", "one name for each")
    share = sum((each.expected_share or Decimal(0) for each in found), Decimal(0))
    if share > 1:
        reason = "add up to more than everything"
        read.refuse("exclusions", str(share), f"expected shares {reason}", "1 at most in all")
    if len(found) >= MOST_EXCLUSIONS:
        reason = "are more than a Cloud Logging sink takes beside the one for sampling"
        read.refuse("exclusions", len(found), reason, f"at most {MOST_EXCLUSIONS - 1}")
    return tuple(found)


def parse_sampling(read: Arguments) -> SamplingSpec | None:
    """Return how much is kept; None for everything."""
    nested = read.nested("sampling", shapes.SamplingArgs)
    if nested is None:
        return None
    percent = nested.decimal("percent")
    if percent is None or not 0 < percent <= WHOLE:
        if percent is not None or not nested.has("percent"):
            nested.refuse("percent", percent, "is no percentage", "above 0, at most 100")
        percent = WHOLE
    return SamplingSpec(percent, nested.choice("keep_severity", Severity, Severity.ERROR))


def _exclusion(read: Arguments) -> ExclusionSpec:
    name = read.text("name")
    if name and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        read.refuse("name", name, "is no name", "lowercase letters, digits and '-'")
    attributes = read.text_map("attributes")
    for key, value in attributes.items():
        if _UNQUOTABLE.search(key) or _UNQUOTABLE.search(value) or not key:
            reason = "cannot stand in the clouds' query languages"
            read.refuse(f"attributes.{key}", value, reason, "no quotes, backslashes or controls")
    below = read.choice("severity_below", Severity) if read.has("severity_below") else None
    if below is None and not attributes:
        reason = "says nothing of the entries, and would exclude all of them"
        read.refuse("", name, reason, "severity_below, attributes or both")
    share = read.decimal("expected_share")
    if share is not None and share > 1:
        read.refuse("expected_share", share, "is no share", "0 to 1")
    return ExclusionSpec(name, below, tuple(sorted(attributes.items())), share)


def render_gcp_filter(exclusion: ExclusionSpec) -> str:
    """Return the exclusion in Cloud Logging's query language."""
    parts = []
    if exclusion.severity_below is not None:
        # Entries without a severity have the lowest, DEFAULT.
        parts.append(f"severity >= DEBUG AND severity < {_gcp_severity(exclusion.severity_below)}")
    parts += [f'labels."{key}" = "{value}"' for key, value in exclusion.attributes]
    return " AND ".join(parts)


def render_gcp_sampling(sampling: SamplingSpec) -> str:
    """Return which entries a sink leaves out so that the rest is the sample."""
    share = f"{sampling.percent / WHOLE:f}".rstrip("0")
    return f"severity < {_gcp_severity(sampling.keep_severity)} AND NOT sample(insertId, {share})"


def render_kql(exclusions: Sequence[ExclusionSpec]) -> str:
    """Return the transformation of a data collection rule that drops what is excluded."""
    kept = []
    for exclusion in exclusions:
        unless = []
        if exclusion.severity_below is not None:
            # A comparison with null is null, and `where` keeps only what is true.
            number = exclusion.severity_below.number
            unless.append(
                "isnull(SeverityNumber) or SeverityNumber < 1 or SeverityNumber >= " + str(number)
            )
        unless += [
            f'tostring(Attributes["{key}"]) != "{value}"' for key, value in exclusion.attributes
        ]
        kept.append(f"where {' or '.join(unless)}")
    return " | ".join(["source", *kept])


def _gcp_severity(severity: Severity) -> str:
    """Return Cloud Logging's name of a severity."""
    names = {Severity.WARN: "WARNING", Severity.FATAL: "CRITICAL"}
    return names.get(severity, severity.value)
