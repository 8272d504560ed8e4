"""Queues in the manifest: what work waits in, and which pools it may take how much of."""

# ruff: noqa: RUF012 - pydantic copies the default of a field for each document

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tidegate.manifest.document import Document, Identifier
from tidegate.vocabulary.capacity import CapacityType, Cloud, InterruptionTolerance
from tidegate.vocabulary.problems import Problem, suggest

if TYPE_CHECKING:
    from tidegate.manifest.model import Pool

Units = Annotated[int, Field(ge=0)]
"""What pods request: accelerators, or shares of them where a pool shares; nodes of a pool that
has none."""


class Queue(Document):
    """A queue of one cluster: a Kueue ClusterQueue, with a LocalQueue in each namespace."""

    id: Identifier
    cloud: Cloud
    cluster: str = ""
    accelerator: str = ""
    """Empty for work without an accelerator."""
    priority: str = ""
    """The priority that its work has unless a run states another."""
    interruption_tolerance: InterruptionTolerance
    service_level: str = ""
    pools: list[Identifier] = Field(min_length=1)
    """In the order in which they are filled."""
    namespaces: list[str] = []
    quotas: dict[str, Units] = {}
    """Pool → what of it is this queue's own."""
    cohort: str = ""
    """Queues of one cohort lend each other what is idle."""
    borrowing_limit: Units | None = None
    lending_limit: Units | None = None
    labels: dict[str, str]


def count_units(pool: Pool) -> int:
    """Return what a pool offers at most, in the units of quotas."""
    if not pool.accelerators_per_node:
        return pool.max_nodes
    shares = pool.sharing.clients_per_accelerator if pool.sharing else 1
    return pool.max_nodes * pool.accelerators_per_node * shares


def check_queues(queues: Sequence[Queue], pools: Sequence[Pool]) -> Iterator[Problem]:
    """Yield what queues get wrong about the pools that are declared."""
    known = {pool.id: pool for pool in pools}
    for queue in queues:
        for pool_id in (*queue.pools, *(set(queue.quotas) - set(queue.pools))):
            yield from _check_pool(queue, pool_id, known)
    yield from check_sums({queue.id: queue.quotas for queue in queues}, known)


def _check_pool(queue: Queue, pool_id: str, known: Mapping[str, Pool]) -> Iterator[Problem]:
    where, value = f"queue {queue.id}", repr(pool_id)
    pool = known.get(pool_id)
    if pool is None:
        reason = "is no declared pool" + suggest(pool_id, known)
        yield Problem(where, "pools", value, reason, f"one of {sorted(known)}")
        return
    if pool_id not in queue.pools:
        reason = "has a quota and is no pool of this queue"
        yield Problem(where, "quotas", value, reason, f"one of {queue.pools}")
    if pool.cloud is not queue.cloud or queue.cluster not in ("", pool.cluster):
        reason = f"stands in {pool.cloud.value}/{pool.cluster}"
        expected = f"a pool of {queue.cloud.value}/{queue.cluster}"
        yield Problem(where, "pools", value, reason, expected)
    if pool.accelerator != queue.accelerator:
        reason = f"has {pool.accelerator or 'no accelerator'}"
        expected = f"a pool with {queue.accelerator or 'no accelerator'}"
        yield Problem(where, "pools", value, reason, expected)
    yield from check_tolerance(where, queue.interruption_tolerance, pool)


def check_tolerance(where: str, tolerance: InterruptionTolerance, pool: Pool) -> Iterator[Problem]:
    """Yield that work which survives no interruption would wait for machines that are taken."""
    is_spot = pool.capacity_type is CapacityType.SPOT
    if is_spot and tolerance is InterruptionTolerance.INTOLERANT:
        reason = "is a spot pool, and the queue's work survives no interruption"
        yield Problem(where, "pools", repr(pool.id), reason, "a pool that is not spot")


def check_sums(
    quotas: Mapping[str, Mapping[str, int]], pools: Mapping[str, Pool]
) -> Iterator[Problem]:
    """Yield pools of which queues together own more than there can be."""
    sums: Counter[str] = Counter()
    for given in quotas.values():
        sums.update(given)
    for pool_id, total in sorted(sums.items()):
        pool = pools.get(pool_id)
        if pool is not None and total > count_units(pool):
            owners = ", ".join(sorted(name for name, given in quotas.items() if given.get(pool_id)))
            reason = (
                f"is more than the pool can have ({count_units(pool)} at {pool.max_nodes} nodes)"
            )
            yield Problem(f"queues {owners}", f"quotas.{pool_id}", str(total), reason, "less")
