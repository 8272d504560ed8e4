"""Nodes to delete: those that are no capacity, and those that nothing needs any longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal

from tidegate.scaling.bins import Bin
from tidegate.scaling.draft import Draft
from tidegate.scaling.fleet import GONE, HEALTHY, Node, NodePhase
from tidegate.scaling.keep_alive import explain_keep_alive, keep_alive_seconds
from tidegate.scaling.ledger import ZERO
from tidegate.scaling.nodes import is_lost, may_touch, nodes_of
from tidegate.scaling.takeover import find_relieved
from tidegate.scaling.wait_targets import find_wait_targets
from tidegate.scaling.warm import spare_room
from tidegate.vocabulary.plans import Hold, Stop

OPEN = frozenset({NodePhase.IDLE, NodePhase.BUSY, NodePhase.READY})
"""Phases in which a node could run something."""
MINIMUM = "the pool's minimum"
WARM = "room kept free for what arrives while a node boots"


def delete_lost(draft: Draft) -> None:
    """Delete what failed, was stopped without being deleted, or never came."""
    for node in nodes_of(draft.situation):
        offering = draft.bench.offering_of[node.id]
        lost = is_lost(node, offering, draft.situation)
        if not (lost or node.phase in GONE) or not may_touch(node, draft.situation):
            continue
        if node.work():
            draft.holds.append(Hold(node.pool, f"{node.id} is {node.phase.value} and runs work"))
            continue
        text = "did not come in time" if lost else f"is {node.phase.value}, which is no capacity"
        draft.stops[node.id] = Stop(node.id, node.pool, text, draft.money(ZERO))


def release_idle(draft: Draft) -> None:
    """Stop nodes that idled longer than their keep-alive, above the pool's minimum."""
    above = _above_minimum(draft)
    spare = dict(draft.bench.ledger.commitment_used)
    targets = find_wait_targets(draft)
    warm = spare_room(draft, targets)
    slices = _idle_slices(draft)
    relieved = find_relieved(draft, (node for nodes in slices for node in nodes))
    for slice_nodes in slices:
        pool = slice_nodes[0].pool
        room = sum(draft.bench.bins[node.id].accelerators for node in slice_nodes)
        names = [node.id for node in slice_nodes]
        if above[pool] < len(slice_nodes):
            draft.explain_kept(pool, names, MINIMUM)
            continue
        if pool in warm and warm[pool] < room:
            draft.explain_kept(pool, names, WARM)
            continue
        reason, kept = _weigh(draft, slice_nodes, targets.get(pool), relieved)
        if kept:
            draft.explain_kept(pool, names, kept)
        elif _stop_all(draft, slice_nodes, reason, spare):
            above[pool] -= len(slice_nodes)
            if pool in warm:
                warm[pool] -= room


def _above_minimum(draft: Draft) -> Counter[str]:
    return Counter(
        {
            pool: draft.bench.capacity_of(pool) - bounds.low
            for pool, bounds in draft.situation.bounds.items()
        }
    )


def _idle_slices(draft: Draft) -> list[list[Node]]:
    """Return idle nodes in the groups that go together: orphans, then the dearest, first."""
    together: dict[str, list[Node]] = {}
    size: Counter[str] = Counter()
    for node in nodes_of(draft.situation):
        key = f"{node.pool}/{node.slice}" if node.slice else node.id
        size[key] += node.phase in HEALTHY
        if is_idle(draft, node):
            together.setdefault(key, []).append(node)
    whole = [nodes for key, nodes in together.items() if len(nodes) == size[key]]
    return sorted(whole, key=lambda nodes: _release_order(draft, nodes[0]))


def is_idle(draft: Draft, node: Node) -> bool:
    """Return whether nothing runs on a node, starts on it or is meant for it.

    Daemonsets keep no node alive. A node that is ready and sets up is not idle.
    """
    if node.phase not in OPEN or node.work():
        return False
    seat: Bin | None = draft.bench.bins.get(node.id)
    if seat is None or not may_touch(node, draft.situation):
        return False
    waited_for = any(
        item in draft.served or (draft.is_known(item) and not _lapsed(draft, node))
        for item in {*node.assigned, *seat.items}
    )
    return not waited_for and node.id not in draft.stops and node.id not in draft.drains


def _lapsed(draft: Draft, node: Node) -> bool:
    """Return whether a node waited too long for what it was meant for: pending has a bound."""
    offering = draft.bench.offering_of[node.id]
    boot = offering.boot_seconds if offering else 0
    settings = draft.situation.settings
    limit = settings.boot_patience * boot + settings.keep_alive_max_seconds
    return draft.situation.now - node.since > timedelta(seconds=limit)


def _release_order(draft: Draft, node: Node) -> tuple[bool, Decimal, float, str]:
    offering = draft.bench.offering_of[node.id]
    price = offering.per_hour if offering and offering.per_hour is not None else ZERO
    return node.expected, -price, node.since.timestamp(), node.id


def _weigh(
    draft: Draft, nodes: Iterable[Node], wait_target: int | None, relieved: Mapping[str, str]
) -> tuple[str, str]:
    """Return why idle nodes are stopped now, or else why they are kept."""
    situation = draft.situation
    reasons = []
    for node in nodes:
        offering = draft.bench.offering_of[node.id]
        price, boot = (offering.per_hour, offering.boot_seconds) if offering else (None, 0)
        gaps = situation.fleet.idle_gaps.get(node.pool, ())
        high = situation.bounds[node.pool].high
        idle = situation.now - node.since
        keep = keep_alive_seconds(price, boot, gaps, situation.settings, wait_target)
        if node.phase is NodePhase.READY:
            keep += boot
        if draft.bench.ledger.nodes[node.pool] - len(draft.stops_of(node.pool)) > high:
            reasons.append(f"above its maximum of {high}")
        elif wait_target is None and node.id in relieved:
            reasons.append(f"{relieved[node.id]} costs less and took its work over")
        elif idle >= timedelta(seconds=keep):
            reasons.append(f"idle for {int(idle.total_seconds())} s, kept for {keep} s")
        else:
            why = explain_keep_alive(boot, gaps, wait_target)
            return "", f"until idle for {keep} s: {why}"
        if not node.expected:
            reasons[-1] += "; nobody ordered it"
    return reasons[0], ""


def _stop_all(draft: Draft, nodes: Iterable[Node], reason: str, used: dict[str, Decimal]) -> bool:
    """Stop nodes of one slice; keep them where a commitment would pay on."""
    stops, left = [], dict(used)
    for node in nodes:
        saving = _saving(draft, node, left)
        over = reason.startswith("above")
        if saving == ZERO and _is_committed(draft, node) and not over:
            commitment = draft.bench.offering_of[node.id]
            name = commitment.commitment if commitment else ""
            text = f"idle nodes stay: commitment {name} pays for them, stopping saves nothing"
            if Hold(node.pool, text) not in draft.holds:
                draft.holds.append(Hold(node.pool, text))
            return False
        stops.append(Stop(node.id, node.pool, reason, draft.money(saving)))
    used.update(left)
    draft.stops |= {stop.node: stop for stop in stops}
    return True


def _is_committed(draft: Draft, node: Node) -> bool:
    offering = draft.bench.offering_of[node.id]
    return offering is not None and offering.commitment in draft.situation.commitments


def _saving(draft: Draft, node: Node, used: dict[str, Decimal]) -> Decimal | None:
    """Return what stopping a node saves, and take it off the commitment's use."""
    offering = draft.bench.offering_of[node.id]
    if offering is None:
        return None
    commitment = draft.situation.commitments.get(offering.commitment)
    if commitment is None:
        return offering.per_hour
    before = used.get(commitment.id, ZERO)
    used[commitment.id] = before - offering.commitment_weight
    # The nodes that exceed the commitment are the ones that are paid for.
    return ZERO if before <= commitment.capacity else offering.per_hour
