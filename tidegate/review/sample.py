"""Use to try a review with, before any was measured: made from what a stack declares.

It grows, has the shape of a week, no week is quite like the trend, the first commitment is left
idle, and one pool is used that nobody declared. All of it is marked as simulated, and so is every
review of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

from tidegate.manifest.model import Manifest, Pool
from tidegate.pricing.usage import MICRO, to_micro
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.used_hours import HOUR, Place, UsedHours, hour_number
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.problems import refuse

COLUMNS = "hour,pool,nodes,instance_type,cloud,region,simulated"
UNDECLARED = "undeclared-lab"
GROWTH_A_WEEK = Decimal("0.02")
WEEKEND_SHARE = Decimal("0.6")
NIGHT_SHARE = Decimal("0.8")
WEEKS_APART = tuple(Decimal(text) for text in ("1.00", "0.96", "1.03", "1.01", "0.97", "1.04"))
"""What a week has of what its trend says, over and over: use that is all trend is none."""

WORKDAYS = 5
DAY_HOURS = range(7, 20)


def build_sample_usage(manifest: Manifest, end: date, weeks: int) -> UsedHours:
    """Return use of whole weeks that end with a day.

    Args:
        manifest: What the stack declares.
        end: The last day.
        weeks: How many weeks.

    Raises:
        InvalidInput: When the stack declares no pool.
    """
    if not manifest.pools:
        raise refuse("the stack", "pools", None, "declares no pool to use")
    midnight = datetime.fromisoformat(f"{end.isoformat()}T00:00:00+00:00")
    start = midnight + timedelta(days=1) - timedelta(weeks=weeks)
    factors = list(_factors(start, weeks * HOURS_OF_WEEK))
    first = hour_number(start)
    used = UsedHours(simulated=True)
    idle = _idle_pools(manifest)
    for pool in manifest.pools:
        series = used.of(_place(pool.id, pool))
        level = Decimal(0) if pool.id in idle else _level(pool)
        for index, factor in enumerate(factors):
            series.add(first + index, to_micro(min(level * factor, Decimal(pool.max_nodes))))
    series = used.of(_place(UNDECLARED, _bought_pool(manifest)))
    for index in range(len(factors)):
        series.add(first + index, MICRO)
    return used


def render_usage_csv(used: UsedHours) -> Iterator[str]:
    """Yield the lines of a usage file, hours first as a meter would write them."""
    yield f"{COLUMNS}\n"
    simulated = "true" if used.simulated else "false"
    rows = sorted(used.rows(), key=lambda row: (row[0], row[1].pool, row[1].instance_type))
    for hour, place, micro in rows:
        cloud = place.cloud.value if place.cloud else ""
        nodes = f"{micro // MICRO}.{micro % MICRO:06}"
        yield (
            f"{hour:%Y-%m-%dT%H:%MZ},{place.pool},{nodes},{place.instance_type},"
            f"{cloud},{place.region},{simulated}\n"
        )


def _factors(start: datetime, hours: int) -> Iterator[Decimal]:
    for index in range(hours):
        hour = start + index * HOUR
        weekday = Decimal(1) if hour.weekday() < WORKDAYS else WEEKEND_SHARE
        daytime = Decimal(1) if hour.hour in DAY_HOURS else NIGHT_SHARE
        week = WEEKS_APART[index // HOURS_OF_WEEK % len(WEEKS_APART)]
        yield weekday * daytime * week * (1 + GROWTH_A_WEEK * index / HOURS_OF_WEEK)


def _place(name: str, pool: Pool) -> Place:
    return Place(name, pool.instance_types[0], pool.cloud, pool.region)


def _level(pool: Pool) -> Decimal:
    if pool.declared_nodes:
        return pool.declared_nodes
    return Decimal(pool.min_nodes + pool.max_nodes) / 2


def _bought_pool(manifest: Manifest) -> Pool:
    """Return the pool whose machine the undeclared use has: one that is not spot, if any."""
    bought = [each for each in manifest.pools if each.capacity_type is not CapacityType.SPOT]
    return min(bought or manifest.pools, key=lambda each: each.id)


def _idle_pools(manifest: Manifest) -> frozenset[str]:
    """Return the pools of the first commitment that any pool consumes."""
    consumed = sorted(pool.reservation for pool in manifest.pools if pool.reservation)
    return frozenset(
        pool.id for pool in manifest.pools if consumed and pool.reservation == consumed[0]
    )
