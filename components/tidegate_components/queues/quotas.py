"""What of each pool is a queue's own, what it may borrow and lend, and whether that can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tidegate.manifest.model import Pool
from tidegate.manifest.queues import check_sums, count_units
from tidegate_components.arguments import Arguments
from tidegate_components.queues.spec import QueueSpec


def settle_quotas(read: Arguments, queue: QueueSpec, queues: Sequence[QueueSpec]) -> QueueSpec:
    """Return the queue with what is its own: what it states, or all of pools that it has alone."""
    given = _read_quotas(read, queue)
    if given is None:
        for pool in queue.pools:
            sharers = [each.id for each in queues if pool.id in {other.id for other in each.pools}]
            if len(sharers) > 1:
                reason = f"is missing, and queues {', '.join(sharers)} share pool {pool.id}"
                read.refuse("quotas", None, reason, "what of each pool is this queue's own")
    own = {pool.id: count_units(pool) for pool in queue.pools}
    quotas = own if given is None else {**dict.fromkeys(own, 0), **given}
    return replace(queue, quotas={pool_id: quotas[pool_id] for pool_id in own})


def _read_quotas(read: Arguments, queue: QueueSpec) -> dict[str, int] | None:
    if not read.has("quotas"):
        return None
    known = {pool.id: pool for pool in queue.pools}
    given = read.whole_map("quotas")
    for pool_id, units in given.items():
        key = f"quotas.{pool_id}"
        if pool_id not in known:
            read.refuse(key, units, "is no pool of this queue", f"one of {', '.join(known)}")
        elif units > count_units(known[pool_id]):
            reason = f"is more than the pool can have at {known[pool_id].max_nodes} nodes"
            read.refuse(key, units, reason, f"at most {count_units(known[pool_id])}")
    return {pool_id: units for pool_id, units in given.items() if pool_id in known}


def check_whole(
    read: Arguments,
    queues: Sequence[QueueSpec],
    pools: Mapping[str, Pool],
    provisioning_class: str,
) -> None:
    """Refuse what only all queues together show."""
    for problem in check_sums({queue.id: queue.quotas for queue in queues}, pools):
        over = count_units(pools[problem.property.removeprefix("quotas.")])
        if all(queue.quotas.get(problem.property[7:], 0) <= over for queue in queues):
            words = f"{problem.reason}, for {problem.where}"
            read.refuse(problem.property, problem.value, words, problem.expected)
    for index, queue in enumerate(queues):
        _check_use(read, f"queues[{index}]", queue)
        own = {pool.id for pool in queue.pools}
        others = [
            sum(units for pool_id, units in other.quotas.items() if pool_id in own)
            for other in queues
            if other is not queue
        ]
        if queue.borrowing_limit is not None and queue.borrowing_limit > sum(others):
            reason = f"is more than the other queues of the cohort own of its pools ({sum(others)})"
            key = f"queues[{index}].borrowing_limit"
            read.refuse(key, queue.borrowing_limit, reason, f"at most {sum(others)}")
        owned = max(queue.quotas.values(), default=0)
        if queue.lending_limit is not None and queue.lending_limit > owned:
            reason = f"is more than it owns of any pool ({owned})"
            key = f"queues[{index}].lending_limit"
            read.refuse(key, queue.lending_limit, reason, f"at most {owned}")
        if queue.queued_pools and not provisioning_class:
            reason = f"is needed by queued_pools of queue {queue.id}"
            read.refuse("provisioning_class", None, reason, "such as queued-provisioning.gke.io")


def _check_use(read: Arguments, place: str, queue: QueueSpec) -> None:
    """Refuse a queue whose work could never start."""
    offered = [count_units(pool) // pool.max_nodes for pool in queue.pools if pool.max_nodes]
    if queue.accelerator and offered and queue.units_per_run > min(offered):
        reason = f"is more than one node of each of its pools has ({min(offered)})"
        key = f"{place}.accelerators_per_run"
        read.refuse(key, queue.units_per_run, reason, f"at most {min(offered)}: a run is one pod")
    if offered and not any(queue.quotas.values()) and queue.borrowing_limit == 0:
        reason = "leave it nothing, and it borrows nothing: its work could never start"
        read.refuse(f"{place}.quotas", None, reason, "something of one of its pools")


def read_borrowing_limit(read: Arguments, tolerant: bool) -> int | None:
    """Return the most that a queue may borrow of each pool; None for no limit."""
    limit = read.optional_whole("borrowing_limit")
    if not tolerant and limit:
        reason = "would be taken back from work that survives no interruption"
        read.refuse("borrowing_limit", limit, reason, "0, or a tolerant queue")
    return limit if tolerant else 0
