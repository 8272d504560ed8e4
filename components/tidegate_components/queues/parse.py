"""From the arguments of queues to their specification, with every fault reported at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Pool
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud, InterruptionTolerance
from tidegate.vocabulary.problems import InvalidInput, suggest
from tidegate_components.arguments import Arguments
from tidegate_components.names import check_identifier
from tidegate_components.queues import args as shapes
from tidegate_components.queues.namespaces import check_shares, parse_namespaces
from tidegate_components.queues.pools import (
    check_marks,
    choose_pools,
    find_machines,
    read_pools,
)
from tidegate_components.queues.quotas import check_whole, read_borrowing_limit, settle_quotas
from tidegate_components.queues.spec import Priority, QueueSpec, QueuesSpec

PRIORITIES = (
    Priority("low", 100, "Goes when nothing else waits."),
    Priority("normal", 1000, "The usual."),
    Priority("high", 10_000, "Goes first, and takes what lower work has where a queue allows it."),
)
MAXIMUM_PRIORITY = 1_000_000_000
"""Kubernetes keeps higher values for itself."""
TOLERANT_RETRIES = 3


def parse_queues(name: str, raw: Mapping[str, Any], catalog: Catalog) -> QueuesSpec:
    """Return the queues that the arguments declare; `name` is their cohort.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"queues {name}", raw, shapes.QueuesArgs)
    check_identifier(read, name)
    cluster = read.text("cluster")
    pools = read_pools(read, cluster)
    labels = read.cost_labels()
    priorities = _parse_priorities(read)
    provisioning_class = read.text("provisioning_class", "")
    readers = read.nested_list("queues", shapes.QueueArgs)
    if not readers and not read.problems:
        read.refuse("queues", None, "is empty", "at least one queue")
    queues = [_parse_queue(each, pools, priorities, catalog) for each in readers]
    _check_names(read, "queues", [queue.id for queue in queues])
    queues = [
        settle_quotas(each, queue, queues) for each, queue in zip(readers, queues, strict=True)
    ]
    namespaces = parse_namespaces(read, labels, queues)
    used = {pool.id: pool for queue in queues for pool in queue.pools}
    machines = find_machines(read, used.values(), catalog)
    check_marks(read, used.values())
    check_whole(read, queues, pools, provisioning_class)
    check_shares(read, namespaces, queues)
    polyaxon = read.nested("polyaxon", shapes.PolyaxonArgs)
    agent = polyaxon.text("agent", "") if polyaxon else ""
    read.finish()
    return QueuesSpec(
        id=name,
        cloud=next((pool.cloud for pool in pools.values()), Cloud.AWS),
        cluster=cluster,
        labels=labels,
        priorities=priorities,
        queues=tuple(queues),
        namespaces=tuple(each.spec for each in namespaces),
        machines=machines,
        provisioning_class=provisioning_class,
        agent=agent,
    )


def _parse_priorities(read: Arguments) -> tuple[Priority, ...]:
    found = [
        Priority(
            each.text("name"), _priority_value(each), each.text("description", "No description.")
        )
        for each in read.nested_list("priorities", shapes.PriorityArgs)
    ]
    _check_names(read, "priorities", [each.name for each in found])
    return tuple(sorted(found or PRIORITIES, key=lambda each: (each.value, each.name)))


def _priority_value(read: Arguments) -> int:
    value = read.whole("value")
    if value > MAXIMUM_PRIORITY:
        reason = "is among the values that Kubernetes keeps for itself"
        read.refuse("value", value, reason, f"at most {MAXIMUM_PRIORITY}")
    return value


def _check_names(read: Arguments, key: str, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if name and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
            expected = "1 to 63 lowercase letters, digits and '-', not at either end"
            read.refuse(key, name, "is no name that Kubernetes takes", expected)
        if name and count > 1:
            read.refuse(key, name, f"is declared {count} times", "each name once")


def _parse_queue(
    read: Arguments,
    pools: Mapping[str, Pool],
    priorities: Sequence[Priority],
    catalog: Catalog,
) -> QueueSpec:
    accelerator = _accelerator(read, catalog)
    tolerance = read.choice("interruption_tolerance", InterruptionTolerance)
    service_level = read.text("service_level", "")
    chosen = choose_pools(read, pools, accelerator, tolerance, service_level)
    tolerant = tolerance is InterruptionTolerance.TOLERANT
    queued = read.texts("queued_pools")
    for index, pool_id in enumerate(queued):
        if pool_id not in {pool.id for pool in chosen}:
            read.refuse(f"queued_pools[{index}]", pool_id, "is no pool of this queue", "one of it")
    return QueueSpec(
        id=read.text("name"),
        accelerator=accelerator,
        priority=_priority(read, priorities),
        tolerance=tolerance,
        service_level=service_level,
        pools=chosen,
        quotas={},
        borrowing_limit=read_borrowing_limit(read, tolerant),
        lending_limit=read.optional_whole("lending_limit"),
        strict_order=read.flag("strict_order", False),
        queued_pools=queued,
        units_per_run=read.whole("accelerators_per_run", 1, minimum=1),
        max_retries=read.whole("max_retries", TOLERANT_RETRIES if tolerant else 0),
        timeout_seconds=read.optional_whole("timeout_seconds", minimum=1),
    )


def _accelerator(read: Arguments, catalog: Catalog) -> Accelerator | None:
    name = read.text("accelerator", "")
    if not name:
        return None
    try:
        found = catalog.accelerator(name)
    except InvalidInput as error:
        read.adopt(error, "accelerator")
        return None
    if not found.kubernetes_resource:
        reason = "is no resource that pods can request: no device plugin is known"
        read.refuse("accelerator", name, reason, "an accelerator with a device plugin")
    return found


def _priority(read: Arguments, priorities: Sequence[Priority]) -> Priority:
    usual = priorities[min(1, len(priorities) - 1)]
    name = read.text("priority", usual.name)
    known = {each.name: each for each in priorities}
    if name not in known:
        reason = "is no priority" + suggest(name, known)
        read.refuse("priority", name, reason, f"one of {', '.join(known)}")
    return known.get(name, usual)
