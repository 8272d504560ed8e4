"""A baseline: what failed on the day when checking began, so that only what is new stops work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidegate.vocabulary.problems import InvalidInput, Problem
from tidegate.vocabulary.verdicts import Outcome, Verdict

VERSION = "tidegate/baseline/v1"
_EXPECTED = f"a file that `tidegate check --write-baseline` wrote ({VERSION})"


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """One thing that failed: a rule at a property of a resource, in words that values leave alone.

    It lives and falls with its resource: another URN is another thing.
    """

    rule: str
    urn: str
    property: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each known thing failed."""

    counts: Mapping[Known, int]

    def split(self, verdicts: Sequence[Verdict]) -> tuple[frozenset[int], tuple[Known, ...]]:
        """Return (indices of verdicts that were known, known things that are gone)."""
        left = Counter(self.counts)
        known: set[int] = set()
        for index, verdict in enumerate(verdicts):
            thing = _identify(verdict)
            if thing is not None and left[thing] > 0:
                left[thing] -= 1
                known.add(index)
        return frozenset(known), tuple(sorted(thing for thing, n in left.items() if n > 0))


def build_baseline(verdicts: Iterable[Verdict]) -> Baseline:
    """Return the baseline of what fails or is not known now."""
    found = (thing for verdict in verdicts if (thing := _identify(verdict)) is not None)
    return Baseline(Counter(found))


def dump_baseline(baseline: Baseline) -> dict[str, Any]:
    """Return a baseline as a document, sorted so that its changes can be reviewed."""
    return {
        "version": VERSION,
        "known": [
            {
                "rule": thing.rule,
                "urn": thing.urn,
                "property": thing.property,
                "outcome": thing.outcome,
                "count": count,
            }
            for thing, count in sorted(baseline.counts.items())
        ],
    }


def parse_baseline(where: str, document: object) -> Baseline:
    """Return the baseline of a document.

    Raises:
        InvalidInput: When it is none.
    """
    if not isinstance(document, Mapping) or document.get("version") != VERSION:
        raise InvalidInput(Problem(where, "version", "", "is no baseline", _EXPECTED))
    entries = document.get("known")
    if not isinstance(entries, list):
        raise InvalidInput(Problem(where, "known", "", "is no list", _EXPECTED))
    counts: Counter[Known] = Counter()
    for index, entry in enumerate(entries):
        thing, count = _parse_entry(where, index, entry)
        counts[thing] += count
    return Baseline(counts)


def _parse_entry(where: str, index: int, entry: object) -> tuple[Known, int]:
    place = f"known[{index}]"
    keys = {"rule", "urn", "property", "outcome", "count"}
    if not isinstance(entry, Mapping) or set(entry) != keys:
        raise InvalidInput(Problem(where, place, "", "is no entry", ", ".join(sorted(keys))))
    texts = [entry[key] for key in ("rule", "urn", "property", "outcome")]
    count = entry["count"]
    if not all(isinstance(text, str) for text in texts) or type(count) is not int or count < 1:
        raise InvalidInput(Problem(where, place, "", "is no entry", "texts and a count"))
    return Known(*texts), count


def _identify(verdict: Verdict) -> Known | None:
    if verdict.outcome not in (Outcome.FAIL, Outcome.UNKNOWN):
        return None
    return Known(verdict.rule, verdict.urn, verdict.property, verdict.outcome.value)
