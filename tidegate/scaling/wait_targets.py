"""Wait targets that only a node which is there can meet, pool by pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidegate.scaling.draft import Draft
from tidegate.scaling.nodes import nodes_of
from tidegate.scaling.situation import Situation


def find_wait_targets(draft: Draft) -> dict[str, int]:
    """Return the shortest wait target of what comes to each pool, in seconds.

    It counts what came lately, as observed, what runs there, and what this decision seats there.
    Pools without any are left out.
    """
    found: dict[str, int] = {}
    for pool, target in _targets(draft):
        if target >= 0:
            found[pool] = min(found.get(pool, target), target)
    return found


def _targets(draft: Draft) -> Iterator[tuple[str, int]]:
    yield from draft.situation.fleet.wait_targets.items()
    for node in nodes_of(draft.situation):
        for work in node.work():
            if work.shape is not None and work.shape.wait_target_seconds is not None:
                yield node.pool, work.shape.wait_target_seconds
    groups = {id(group): group for group in draft.groups.values()}
    for group in groups.values():
        target = group.shape.wait_target_seconds
        for item in group.items if target is not None else ():
            for seat in draft.bench.seats_of(item.id):
                yield seat.offering.pool, target or 0


def find_unmet_by_boot(targets: Mapping[str, int], situation: Situation) -> dict[str, int]:
    """Return the pools, with their wait targets, of which no new node would come in time."""
    boots = {
        pool: min((entry.boot_seconds for entry in entries), default=0)
        for pool, entries in situation.by_pool.items()
    }
    return {pool: target for pool, target in targets.items() if target < boots.get(pool, 0)}
