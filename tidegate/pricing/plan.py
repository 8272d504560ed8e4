"""The cost of everything that a manifest declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Manifest
from tidegate.pricing.commitments import price_commitment
from tidegate.pricing.figures import Figures, sum_figures
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.notebooks import price_notebook
from tidegate.pricing.pools import price_pools
from tidegate.pricing.storage import price_bucket
from tidegate.pricing.telemetry import price_telemetry
from tidegate.vocabulary.capacity import CapacityType, Cloud

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class UnknownCost:
    """Something whose cost is missing from a total.

    Attributes:
        kind: The section of the manifest.
        id: Its id there.
        bases: The figures that miss it ("maximum", ...).
        reason: Why there is no price.
    """

    kind: LineKind
    id: str
    bases: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class PlanCost:
    """What a manifest costs.

    Attributes:
        lines: One a declared thing, sorted by kind and id.
        totals: Currency → the sum of what is known, for a month. Currencies are never mixed.
        assumed: Currency → the part of the total that rests on assumed prices.
        unknown: What the totals leave out, and why; never counted as 0 silently.
        assumed_prices: Every assumed price used, each once.
        catalog_digest: The catalog that was used.
    """

    lines: tuple[CostLine, ...]
    totals: Mapping[str, Figures]
    assumed: Mapping[str, Figures]
    unknown: tuple[UnknownCost, ...]
    assumed_prices: tuple[UsedPrice, ...]
    catalog_digest: str

    def by_cloud(self) -> dict[tuple[Cloud, str], Figures]:
        """Return (cloud, currency) → the sum of what is known, for a month."""
        return _group(self.lines, lambda line: line.cloud)

    def by_capacity_type(self) -> dict[tuple[CapacityType | None, str], Figures]:
        """Return (capacity type, currency) → the sum; None for what has no nodes."""
        return _group(self.lines, lambda line: line.capacity_type)

    def by_kind(self) -> dict[tuple[LineKind, str], Figures]:
        """Return (kind, currency) → the sum of what is known, for a month."""
        return _group(self.lines, lambda line: line.kind)

    def is_complete(self, basis: str) -> bool:
        """Return whether nothing is missing from the totals on this basis."""
        return not any(basis in entry.bases for entry in self.unknown)


def build_plan_cost(manifest: Manifest, catalog: Catalog) -> PlanCost:
    """Return what a manifest costs at minimum, as declared, at maximum and all on demand."""
    lines = [
        *price_pools(manifest.pools, manifest.commitments, catalog),
        *(price_commitment(entry, manifest.pools, catalog) for entry in manifest.commitments),
        *(price_notebook(entry, catalog) for entry in manifest.notebooks),
        *(price_bucket(entry, catalog) for entry in manifest.buckets),
        *(price_telemetry(entry, catalog) for entry in manifest.telemetry),
    ]
    return sum_lines(lines, catalog.digest)


def sum_lines(lines: Iterable[CostLine], catalog_digest: str) -> PlanCost:
    """Return what lines come to: sums by currency, and what they leave out."""
    ordered = tuple(sorted(lines, key=lambda line: (list(LineKind).index(line.kind), line.id)))
    used = [price for line in ordered for price in line.prices if price.assumed]
    return PlanCost(
        lines=ordered,
        totals=_sum_by_currency((line.currency, line.monthly) for line in ordered),
        assumed=_sum_by_currency((line.currency, line.assumed_part()) for line in ordered),
        unknown=tuple(
            UnknownCost(line.kind, line.id, line.monthly.unknown_bases(), reason)
            for line in ordered
            for reason in line.unknown
        ),
        assumed_prices=tuple(dict.fromkeys(used)),
        catalog_digest=catalog_digest,
    )


def _sum_by_currency(amounts: Iterable[tuple[str, Figures]]) -> dict[str, Figures]:
    groups: dict[str, list[Figures]] = {}
    for currency, figures in amounts:
        groups.setdefault(currency, []).append(figures)
    return {currency: sum_figures(groups[currency]) for currency in sorted(groups)}


def _group(
    lines: Iterable[CostLine], key: Callable[[CostLine], Key]
) -> dict[tuple[Key, str], Figures]:
    groups: dict[Key, list[CostLine]] = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return {
        (group, currency): figures
        for group, members in groups.items()
        for currency, figures in _sum_by_currency(
            (line.currency, line.monthly) for line in members
        ).items()
    }
