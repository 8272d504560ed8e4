"""Use to try a review with, before any was measured: made from what a stack declares.

It grows, has the shape of a week, leaves the first commitment idle and uses one pool that nobody
declared. Every row is marked as simulated, and so is every review of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

from tidegate.manifest.model import Manifest, Pool
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.usage_rows import HOUR
from tidegate.vocabulary.problems import refuse

HEADER = "hour,pool,nodes,instance_type,cloud,region,simulated"
UNDECLARED = "undeclared-lab"
GROWTH_A_WEEK = Decimal("0.02")
WEEKEND_SHARE = Decimal("0.6")
NIGHT_SHARE = Decimal("0.8")
MILLIONTH = Decimal("0.000001")


def build_sample_usage(manifest: Manifest, end: date, weeks: int) -> str:
    """Return a usage file of whole weeks that end with a day.

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
    idle = _idle_pools(manifest)
    lines = [HEADER]
    for index in range(weeks * HOURS_OF_WEEK):
        hour = start + index * HOUR
        lines += _lines_of_hour(manifest, hour, index, idle)
    return "\n".join(lines) + "\n"


def _lines_of_hour(
    manifest: Manifest, hour: datetime, index: int, idle: frozenset[str]
) -> Iterator[str]:
    factor = _shape(hour) * (1 + GROWTH_A_WEEK * index / HOURS_OF_WEEK)
    moment = hour.strftime("%Y-%m-%dT%H:%MZ")
    for pool in manifest.pools:
        nodes = Decimal(0) if pool.id in idle else _level(pool) * factor
        yield _line(moment, pool.id, nodes, pool)
    yield _line(moment, UNDECLARED, Decimal(1), manifest.pools[0])


def _line(moment: str, name: str, nodes: Decimal, place: Pool) -> str:
    amount = f"{nodes.quantize(MILLIONTH):f}"
    machine = place.instance_types[0]
    return f"{moment},{name},{amount},{machine},{place.cloud.value},{place.region},true"


def _level(pool: Pool) -> Decimal:
    if pool.declared_nodes:
        return pool.declared_nodes
    return Decimal(pool.min_nodes + pool.max_nodes) / 2


def _shape(hour: datetime) -> Decimal:
    weekday = Decimal(1) if hour.weekday() < 5 else WEEKEND_SHARE
    return weekday * (Decimal(1) if 7 <= hour.hour < 20 else NIGHT_SHARE)


def _idle_pools(manifest: Manifest) -> frozenset[str]:
    """Return the pools of the first commitment that any pool consumes."""
    consumed = sorted(pool.reservation for pool in manifest.pools if pool.reservation)
    return frozenset(
        pool.id for pool in manifest.pools if consumed and pool.reservation == consumed[0]
    )
