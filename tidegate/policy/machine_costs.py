"""What the machines of plain resources cost a month, where no manifest tells more.

A resource says how few and how many machines it may have and with how many it starts, and no more:
not how many are expected, what a bucket holds or a log takes in. Only machines are priced here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.policy.earlier import Earlier
from tidegate.policy.facts.capacity import build_machines, has_machines
from tidegate.policy.facts.places import build_region, spell_region
from tidegate.policy.facts.reading import Fact, read, read_number
from tidegate.policy.graph import Resource, ResourceGraph, normalize_type
from tidegate.policy.stack_cost import NOT_COMPARED, StackCost
from tidegate.policy.states import build_graph
from tidegate.pricing.difference import build_cost_difference
from tidegate.pricing.figures import NOTHING, Figures
from tidegate.pricing.lines import CostLine, LineKind
from tidegate.pricing.nodes import DEFAULT_CURRENCY, describe_price, price_of
from tidegate.pricing.plan import PlanCost, sum_lines
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import HOURS_PER_MONTH, Price

BASE_NOTE = (
    "no capacity manifest is shown (--declared tells one behind a preview): only machines are "
    "priced, and expected is the size that they start with"
)
UNCOUNTED = "how many machines it has is not known"
_BOUGHT = {"spot": CapacityType.SPOT, "on-demand": CapacityType.ON_DEMAND}
_NOT_BOUGHT = {
    "mixed": "mixes spot with on-demand machines, in what shares is not known",
    "reserved": "is paid for by its reservation, whose price is not known",
}
_STARTS_WITH = {
    "aws:eks/nodeGroup:NodeGroup": ("scalingConfig.desiredSize",),
    "aws:autoscaling/group:Group": ("desiredCapacity",),
    "gcp:container/nodePool:NodePool": ("nodeCount", "initialNodeCount"),
    "azure-native:containerservice:AgentPool": ("count",),
    "azure-native:compute:VirtualMachineScaleSet": ("sku.capacity",),
}
_ATTACHED = ("nodeConfig.guestAccelerators", "guestAccelerators")
_A_ZONE = (".minNodeCount", "nodeCount", "initialNodeCount")
_SHOWN_TYPES = 5
_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many machines there are; None where that is not known."""

    minimum: Decimal | None
    start: Decimal | None
    maximum: Decimal | None


def build_machine_cost(
    graph: ResourceGraph, earlier: Earlier | None, catalog: Catalog
) -> StackCost | None:
    """Return what the machines of plain resources cost before and after a change.

    Args:
        graph: The resources after the change.
        earlier: The stack before it; None where it is not known.
        catalog: Where prices are looked up.

    Returns:
        None where there are no machines on either side.
    """
    after = price_machine_sets(graph.resources, catalog)
    before = None if earlier is None else _price_earlier(earlier, catalog)
    if not after.lines and not (before and before.lines):
        return None
    reason = NOT_COMPARED if before is None else ""
    notes = (BASE_NOTE, *_say_unpriced(graph.resources))
    return StackCost(build_cost_difference(before, after), reason, notes)


def price_machine_sets(resources: Iterable[Resource], catalog: Catalog) -> PlanCost:
    """Return the cost of every set of machines of known or unknown price; templates have none."""
    found = [
        (resource, machines)
        for resource in resources
        if resource.cloud is not None
        for machines in build_machines(resource)
        if machines["kind"] != "template" and "types" in machines
    ]
    names = [_name(resource, machines) for resource, machines in found]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    lines = [
        _price(resource.urn if name in repeated else name, resource, machines, catalog)
        for name, (resource, machines) in zip(names, found, strict=True)
    ]
    return sum_lines(lines, catalog.digest)


def _price_earlier(earlier: Earlier, catalog: Catalog) -> PlanCost:
    """Return the cost of the states before, of which only those with machines are read."""
    states = [
        state
        for state in earlier.states
        if has_machines(normalize_type(str(state.get("type"))))
        or str(state.get("type")).startswith("pulumi:providers:")
    ]
    graph = build_graph("the state before", states, config=earlier.config)
    return price_machine_sets(graph.resources, catalog)


def _name(resource: Resource, machines: Mapping[str, Any]) -> str:
    kind = resource.type.rpartition(":")[2]
    at = str(machines.get("at") or "").rstrip(".")
    return f"{kind} {resource.name}" + (f" {at}" if at else "")


def _price(
    name: str, resource: Resource, machines: Mapping[str, Any], catalog: Catalog
) -> CostLine:
    cloud = resource.cloud
    assert cloud is not None
    place = build_region(resource)
    bought = str(machines["capacity"]["value"] or "")
    prices, reasons = _find_prices(resource, machines, bought, place, catalog)
    monthly = _cost_of(_count(resource, machines), [price.per_hour.amount for _, price in prices])
    if bought != "on-demand":
        monthly = replace(monthly, on_demand=None)
    unknown = tuple(dict.fromkeys(reasons)) or (UNCOUNTED,)
    return CostLine(
        kind=LineKind.POOL,
        id=name,
        cloud=cloud,
        region=str(place["value"] or ""),
        capacity_type=CapacityType.RESERVED if bought == "reserved" else _BOUGHT.get(bought),
        currency=prices[0][1].per_hour.currency if prices else DEFAULT_CURRENCY,
        monthly=monthly,
        prices=tuple(
            describe_price(f"{type_} {bought} in {place['value']}", price)
            for type_, price in prices
        ),
        unknown=unknown if _shown_unknown(monthly) else (),
    )


def _shown_unknown(monthly: Figures) -> bool:
    return None in (monthly.minimum, monthly.declared, monthly.maximum)


def _find_prices(
    resource: Resource, machines: Mapping[str, Any], bought: str, place: Fact, catalog: Catalog
) -> tuple[list[tuple[str, Price]], list[str]]:
    """Return the price of each type in its order, or none at all and why."""
    reasons = list(_say_missing(resource, machines, bought, place))
    if reasons:
        return [], reasons
    cloud = resource.cloud
    assert cloud is not None
    found: list[tuple[str, Price]] = []
    for name in machines["types"]["value"]:
        price = price_of(catalog, cloud, place["value"], name, _BOUGHT[bought])
        if isinstance(price, UnknownPrice):
            reasons.append(price.reason)
        elif _has_attached(resource, name, catalog):
            reasons.append(f"the accelerators attached to {name} have no price here")
        else:
            found.append((name, price))
    if len({price.per_hour.currency for _, price in found}) > 1:
        reasons.append("its types are priced in several currencies")
    return ([], reasons) if reasons else (found, [])


def _say_missing(
    resource: Resource, machines: Mapping[str, Any], bought: str, place: Fact
) -> Iterator[str]:
    if machines["capacity"]["state"] == "known" and bought not in _BOUGHT:
        yield f"it {_NOT_BOUGHT.get(bought, 'is bought in a way that has no price here')}"
    elif machines["capacity"]["state"] != "known":
        yield "how it is bought is not told by it alone"
    if machines["types"]["state"] != "known" or not machines["types"]["value"]:
        yield "it names no machine type that is known yet"
    if place["state"] != "known":
        yield f"the region of {resource.name} is not known"


def _has_attached(resource: Resource, name: str, catalog: Catalog) -> bool:
    """Return whether a machine's price leaves out accelerators that are attached to it."""
    found = [read(resource.properties, path) for path in _ATTACHED]
    attached = any(each["state"] == "hidden" or each["value"] for each in found)
    return attached and bool(catalog.instance_type(Cloud.GCP, name).attachable)


def _count(resource: Resource, machines: Mapping[str, Any]) -> _Sizes:
    if machines["kind"] == "machine":
        return _Sizes(_ONE, _ONE, _ONE)
    minimum = _size(machines.get("minimum"), resource)
    maximum = _size(machines.get("maximum"), resource)
    at = str(machines.get("at") or "")
    paths = _STARTS_WITH.get(resource.type, ())
    start = None if at or not paths else _size(read_number(resource.properties, *paths), resource)
    # What scales nothing stays as large as it starts; what names no start starts as small as it is.
    least = _first(minimum, start)
    return _Sizes(least, _first(start, minimum), _first(maximum, start))


def _size(fact: Fact | None, resource: Resource) -> Decimal | None:
    """Return a number of machines; Google counts some of them for each zone."""
    if fact is None or fact["state"] != "known" or fact["value"] is None:
        return None
    number = Decimal(str(fact["value"]))
    if not fact["property"].endswith(_A_ZONE) or number == NOTHING:
        return number
    zones = _count_zones(resource)
    return None if zones is None else number * zones


def _count_zones(resource: Resource) -> int | None:
    """Return in how many zones a pool has nodes; None where its cluster tells."""
    named = read(resource.properties, "nodeLocations")
    if isinstance(named["value"], list) and named["value"]:
        return len(named["value"])
    place = read(resource.properties, "location")["value"]
    is_zone = isinstance(place, str) and spell_region(Cloud.GCP, place) != place.lower()
    return 1 if is_zone and named["state"] == "absent" else None


def _first(*sizes: Decimal | None) -> Decimal | None:
    return next((size for size in sizes if size is not None), None)


def _cost_of(sizes: _Sizes, amounts: Sequence[Decimal]) -> Figures:
    """Return what machines cost: of the cheapest type, the first and the dearest."""
    cheapest, first, dearest = (
        (min(amounts), amounts[0], max(amounts)) if amounts else (None, None, None)
    )
    expected = _cost(sizes.start, first)
    minimum, maximum = _cost(sizes.minimum, cheapest), _cost(sizes.maximum, dearest)
    return Figures(minimum, expected, maximum, on_demand=expected)


def _cost(size: Decimal | None, per_hour: Decimal | None) -> Decimal | None:
    if size == NOTHING:
        return NOTHING
    return None if size is None or per_hour is None else size * per_hour * HOURS_PER_MONTH


def _say_unpriced(resources: Iterable[Resource]) -> Iterator[str]:
    """Yield how many resources of the three clouds have no price here, by their types."""
    kinds = Counter(
        each.type
        for each in resources
        if each.custom and each.cloud is not None and not has_machines(each.type)
    )
    if not kinds:
        return
    shown = ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common(_SHOWN_TYPES))
    more = len(kinds) - _SHOWN_TYPES
    rest = f" and {more} more types" if more > 0 else ""
    yield f"not counted, neither before nor after: {kinds.total()} resources ({shown}{rest})"
