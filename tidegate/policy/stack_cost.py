"""The monthly cost of a stack before and after a change, where its manifest tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Manifest
from tidegate.manifest.read import read_manifest
from tidegate.policy.earlier import Earlier
from tidegate.pricing.difference import CostDifference, build_cost_difference
from tidegate.pricing.plan import PlanCost, build_plan_cost, sum_lines
from tidegate.vocabulary.problems import InvalidInput

NOT_SHOWN = (
    "what the stack exports after the change is not in what was read (a JSON preview shows no "
    "outputs); name its program or its manifest by --declared, or read an event log"
)
NOT_COMPARED = "the state before is not known; name an export or a preview of it by --before"
EXPORTED_NONE = "the stack exported no capacity manifest before, so there is nothing to compare"


@dataclass(frozen=True, slots=True)
class StackCost:
    """What a change of a stack costs.

    Attributes:
        difference: Cost before and after; None where the cost after is not known.
        reason: Why there is no difference, or nothing to compare with; "" where all is known.
        notes: What else a reader must know of the figures.
    """

    difference: CostDifference | None
    reason: str = ""
    notes: tuple[str, ...] = ()


def build_stack_cost(
    where: str,
    manifest: Mapping[str, Any] | None,
    earlier: Earlier | None,
    catalog: Catalog,
) -> StackCost | None:
    """Return the cost before and after, both priced by one catalog.

    Args:
        where: What to call the stack in a message.
        manifest: The manifest after the change; None where it is not known.
        earlier: The stack before the change; None where it is not known.
        catalog: Where prices are looked up.

    Returns:
        None where no side has a manifest: the stack declares nothing that could be priced so.
    """
    if manifest is None:
        told = earlier is not None and earlier.manifest is not None
        return StackCost(None, NOT_SHOWN) if told else None
    after = _read(where, manifest)
    if isinstance(after, str):
        return StackCost(None, after)
    before, reason = _price_earlier(where, earlier, catalog)
    return StackCost(build_cost_difference(before, build_plan_cost(after, catalog)), reason)


def _price_earlier(
    where: str, earlier: Earlier | None, catalog: Catalog
) -> tuple[PlanCost | None, str]:
    if earlier is None:
        return None, NOT_COMPARED
    if not earlier.exists:
        return sum_lines((), catalog.digest), ""
    if earlier.manifest is None:
        return None, EXPORTED_NONE
    found = _read(f"{where} before the change", earlier.manifest)
    if isinstance(found, str):
        return None, found
    return build_plan_cost(found, catalog), ""


def _read(where: str, manifest: Mapping[str, Any]) -> Manifest | str:
    """Return the manifest, or why it cannot be read: the rules' verdicts stand without it."""
    try:
        return read_manifest(where, manifest)
    except InvalidInput as error:
        return "; ".join(str(problem) for problem in error.problems)
