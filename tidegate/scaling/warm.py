"""Free room kept ready, so that what arrives while a node would boot need not wait for it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal

from tidegate.scaling.draft import Draft
from tidegate.scaling.keep_alive import WAIT_TARGET_SHARE
from tidegate.scaling.situation import Situation
from tidegate.scaling.wait_targets import find_unmet_by_boot, find_wait_targets

LOOK_BACK_SECONDS = 86_400
"""How much of past arrivals an observer tells: a day has all of its hours."""


def warm_accelerators(arrivals: Sequence[int], share: Decimal) -> int:
    """Return the free accelerators that would have served a share of all that arrived at once.

    Args:
        arrivals: Accelerators that came within each past boot time.
        share: Of the accelerators that came, from 0 to 1: bursts count by their size, since waits
            are counted by what waits.
    """
    ordered = sorted(count for count in arrivals if count > 0)
    wanted = math.ceil(sum(ordered) * share)
    passed = 0
    for count in ordered:
        passed += count
        if passed >= wanted:
            return count
    return 0


def find_warm_shares(targets: Mapping[str, int], situation: Situation) -> dict[str, Decimal]:
    """Return the share of its arrivals that each pool keeps room for; those without are left out.

    It is what the settings say, and at least what a wait target needs that no new node can meet.
    """
    stated = situation.settings.warm_share
    unmet = find_unmet_by_boot(targets, situation)
    return {
        pool: max(stated or Decimal(0), WAIT_TARGET_SHARE if pool in unmet else Decimal(0))
        for pool in situation.fleet.arrivals
        if stated is not None or pool in unmet
    }


def spare_room(draft: Draft, targets: Mapping[str, int]) -> Counter[str]:
    """Return each pool's free room beyond what it keeps, in flight included; below 0: it lacks.

    Args:
        draft: Pools that keep none are left out.
        targets: Pool → its wait target in seconds.
    """
    arrivals = draft.situation.fleet.arrivals
    shares = find_warm_shares(targets, draft.situation)
    spare = Counter(
        {pool: -warm_accelerators(arrivals[pool], share) for pool, share in shares.items()}
    )
    for seat in draft.bench.bins.values() if spare else ():
        if seat.offering.pool in spare and seat.seat not in draft.stops:
            spare[seat.offering.pool] += max(seat.accelerators, 0)
    return spare


def keep_warm(draft: Draft) -> None:
    """Order nodes until each pool has its free room, as far as its limits allow."""
    if not draft.situation.fleet.arrivals:
        return
    for pool, spare in spare_room(draft, find_wait_targets(draft)).items():
        for offering in draft.situation.by_pool.get(pool, ()):
            while spare < 0 and (seat := draft.bench.order(offering)) is not None:
                spare += seat.accelerators * draft.situation.pools[pool].nodes_at_once
                draft.explain_growth(pool, "keeps room free for what arrives while a node boots")
