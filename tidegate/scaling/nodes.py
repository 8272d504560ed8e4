"""What an observed node is worth: an offering, capacity, a place in a count, or nothing."""

from __future__ import annotations

from datetime import timedelta

from tidegate.scaling.fleet import GONE, HEALTHY, Node, NodePhase
from tidegate.scaling.offerings import Offering
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.capacity import Scaler


def nodes_of(situation: Situation) -> tuple[Node, ...]:
    """Return the believed nodes of declared pools, by id."""
    return situation.signals.declared


def offering_of(node: Node, situation: Situation) -> Offering | None:
    """Return what a node is: as ordered, else the first offering of its pool.

    What a node reports of itself never enters: the declared shape rules.
    """
    stated = situation.offerings.get(node.offering)
    if stated is not None and stated.pool == node.pool:
        return stated
    return next((entry for entry in situation.by_pool.get(node.pool, ())), None)


def is_lost(node: Node, offering: Offering | None, situation: Situation) -> bool:
    """Return whether a node that was ordered has not come, or came without its accelerators.

    Until then it covers demand: a node whose device plugin is not ready is on its way.
    """
    # Most nodes are there with all that they have: that is asked first.
    if offering is None or (node.accelerators != 0 and node.phase is not NodePhase.IN_FLIGHT):
        return False
    lacking = node.accelerators == 0 and offering.room.accelerators > 0 and not node.work()
    starting = node.phase is NodePhase.IN_FLIGHT or (lacking and node.phase in HEALTHY)
    if not starting:
        return False
    patience = situation.settings.boot_patience * max(offering.boot_seconds, 60)
    return situation.now - node.since > timedelta(seconds=patience)


def is_capacity(node: Node, offering: Offering | None, situation: Situation) -> bool:
    """Return whether work can be seated on a node, now or when it is there."""
    return node.phase in HEALTHY and not is_lost(node, offering, situation)


def counts(node: Node, offering: Offering | None, situation: Situation) -> bool:
    """Return whether a node counts against maxima, quotas and budget.

    What is no capacity does unless this decision deletes it: it could still come back.
    """
    useless = node.phase in GONE or is_lost(node, offering, situation)
    return not (useless and may_touch(node, situation) and not node.work())


def may_touch(node: Node, situation: Situation) -> bool:
    """Return whether a node may be drained or stopped: not on doubt, nor against a person's word.

    Pools of another scaler are left alone.
    """
    pool, held = situation.pools.get(node.pool), situation.overrides.get(node.pool)
    return (
        situation.signals.may_shrink
        and pool is not None
        and pool.scaler is Scaler.TIDEGATE
        and not (held is not None and held.nodes is None)
    )
