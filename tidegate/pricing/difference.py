"""What a change of a manifest does to the monthly cost: before, after, and what nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

from tidegate.pricing.figures import BASES, NOTHING, Figures, same_everywhere, sum_figures
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.plan import PlanCost
from tidegate.vocabulary.capacity import CapacityType, Cloud

Key = TypeVar("Key")
_ZERO = same_everywhere(NOTHING)


@dataclass(frozen=True, slots=True)
class LineChange:
    """One declared thing before and after.

    Attributes:
        kind: The section of the manifest that declares it.
        id: Its id there.
        before: What it cost; None where it was not there.
        after: What it will cost; None where it is there no more.
    """

    kind: LineKind
    id: str
    before: CostLine | None
    after: CostLine | None

    @property
    def is_changed(self) -> bool:
        """Whether it came, went, or costs or is bought otherwise."""
        if self.before is None or self.after is None:
            return True
        return _what_counts(self.before) != _what_counts(self.after)

    @property
    def change(self) -> Figures:
        """What it adds a month; None where a side is not known or has another currency."""
        if self.before and self.after and self.before.currency != self.after.currency:
            return same_everywhere(None)
        return _subtract(_monthly(self.after), _monthly(self.before))


@dataclass(frozen=True, slots=True)
class Compared:
    """Sums of several lines for a month, in one currency.

    Attributes:
        before: The sum of what is known of what was there.
        after: The sum of what is known of what will be there.
        change: The sum of the changes that are known. Where a price is missing on one side alone,
            the line stands in that side's sum and in no change.
        incomplete: The figures that miss something on either side.
        assumed: The figures that rest on an assumed price on either side.
    """

    before: Figures
    after: Figures
    change: Figures
    incomplete: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnknownSide:
    """What a sum leaves out.

    Attributes:
        side: "before" or "after".
        kind: The section of the manifest.
        id: Its id there.
        bases: The figures that miss it.
        reason: Why there is no price.
    """

    side: str
    kind: LineKind
    id: str
    bases: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class CostDifference:
    """The monthly cost before and after a change, both at the prices of one catalog.

    Attributes:
        lines: One a declared thing of either side, sorted by kind and id.
        unknown: What the sums leave out, and why; never counted as 0 silently.
        prices: Every price used, each once, sorted.
        catalog_digest: The catalog that was used.
        is_compared: Whether the state before is known; without it there is no change to show.
    """

    lines: tuple[LineChange, ...]
    unknown: tuple[UnknownSide, ...]
    prices: tuple[UsedPrice, ...]
    catalog_digest: str
    is_compared: bool

    @property
    def changed(self) -> tuple[LineChange, ...]:
        """The lines that differ; none where the state before is not known."""
        if not self.is_compared:
            return ()
        return tuple(line for line in self.lines if line.is_changed)

    def totals(self) -> dict[str, Compared]:
        """Return currency → the sums of everything. Currencies are never mixed."""
        grouped = _compare(self.lines, lambda _: "")
        return {currency: compared for (_, currency), compared in grouped.items()}

    def by_cloud(self) -> dict[tuple[Cloud, str], Compared]:
        """Return (cloud, currency) → the sums of what stands there."""
        return _compare(self.lines, lambda line: line.cloud)

    def by_capacity_type(self) -> dict[tuple[CapacityType | None, str], Compared]:
        """Return (capacity type, currency) → the sums; None for what has no nodes."""
        return _compare(self.lines, lambda line: line.capacity_type)

    def by_kind(self) -> dict[tuple[LineKind, str], Compared]:
        """Return (kind, currency) → the sums of pools, commitments, storage and so on."""
        return _compare(self.lines, lambda line: line.kind)

    def price_days(self) -> tuple[date, date] | None:
        """Return the oldest and the newest day of the prices used; None where there are none."""
        days = [price.as_of for price in self.prices]
        return (min(days), max(days)) if days else None


def build_cost_difference(before: PlanCost | None, after: PlanCost) -> CostDifference:
    """Return what changes from one plan's cost to another's.

    Both are priced by the same catalog, so that only what was declared makes a difference.

    Args:
        before: What the stack's state costs; None where the state is not known. A stack that does
            not exist yet costs nothing: that is a plan without lines, not None.
        after: What the change will cost.
    """
    old = {(line.kind, line.id): line for line in (before.lines if before else ())}
    new = {(line.kind, line.id): line for line in after.lines}
    order = list(LineKind)
    keys = sorted(old.keys() | new.keys(), key=lambda key: (order.index(key[0]), key[1]))
    sides = (("before", before), ("after", after))
    used = {price for line in (*old.values(), *new.values()) for price in line.prices}
    return CostDifference(
        lines=tuple(LineChange(*key, old.get(key), new.get(key)) for key in keys),
        unknown=tuple(
            UnknownSide(side, each.kind, each.id, each.bases, each.reason)
            for side, plan in sides
            if plan is not None
            for each in plan.unknown
        ),
        prices=tuple(sorted(used, key=lambda price: (price.what, price.as_of, price.origin))),
        catalog_digest=after.catalog_digest,
        is_compared=before is not None,
    )


def _compare(
    lines: Iterable[LineChange], key: Callable[[CostLine], Key]
) -> dict[tuple[Key, str], Compared]:
    """Return the sums by a key and currency; what moves from one key to another leaves the first.

    A line whose key differs between the sides (spot that becomes on demand) counts wholly as gone
    in one group and wholly as new in the other.
    """
    groups: dict[tuple[Key, str], list[LineChange]] = {}
    for line in lines:
        for part in _split(line, key):
            side = part.before or part.after
            assert side is not None
            groups.setdefault((key(side), side.currency), []).append(part)
    return {place: _sum_changes(parts) for place, parts in groups.items()}


def _split(line: LineChange, key: Callable[[CostLine], Key]) -> list[LineChange]:
    """Return a line as it is where both sides are of one group, else each side by itself."""
    before, after = line.before, line.after
    if before is None or after is None:
        return [line]
    if (key(before), before.currency) == (key(after), after.currency):
        return [line]
    return [replace(line, after=None), replace(line, before=None)]


def _sum_changes(lines: Sequence[LineChange]) -> Compared:
    sides = [side for line in lines for side in (line.before, line.after) if side]
    return Compared(
        before=sum_figures(_monthly(line.before) for line in lines),
        after=sum_figures(_monthly(line.after) for line in lines),
        change=sum_figures(line.change for line in lines),
        incomplete=_in_order(basis for side in sides for basis in side.monthly.unknown_bases()),
        assumed=_in_order(
            basis for side in sides for basis, part in side.assumed_part().items() if part
        ),
    )


def _in_order(bases: Iterable[str]) -> tuple[str, ...]:
    found = set(bases)
    return tuple(basis for basis in BASES if basis in found)


def _monthly(line: CostLine | None) -> Figures:
    return _ZERO if line is None else line.monthly


def _subtract(after: Figures, before: Figures) -> Figures:
    pairs = {basis: (getattr(after, basis), getattr(before, basis)) for basis in BASES}
    return Figures(
        **{
            basis: None if new is None or old is None else new - old
            for basis, (new, old) in pairs.items()
        }
    )


def _what_counts(line: CostLine) -> tuple[object, ...]:
    """Return what makes two lines differ for who pays."""
    return (line.cloud, line.region, line.capacity_type, line.currency, line.monthly, line.unknown)
