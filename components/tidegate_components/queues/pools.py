"""Which pools there are, which of them a queue fills, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.build import parse_fragment
from tidegate.manifest.faults import describe_faults
from tidegate.manifest.model import Pool
from tidegate.manifest.queues import check_tolerance
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType, InterruptionTolerance
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest
from tidegate_components.arguments import Arguments
from tidegate_components.queues.spec import Machine

FILLING_ORDER = (CapacityType.RESERVED, CapacityType.SPOT, CapacityType.ON_DEMAND)
"""What is paid for anyway goes first, then what is cheap, then the rest."""

MAXIMUM_MARKS = 8
"""Labels, taints and tolerations that a ResourceFlavor may have of each (Kueue v1beta2)."""


def read_pools(read: Arguments, cluster: str) -> dict[str, Pool]:
    """Return the pools by id, from fragments and from plain pools."""
    given = read.plain("pools")
    found: dict[str, Pool] = {}
    for index, item in enumerate(given if isinstance(given, list | tuple) else []):
        for pool in _parse(read, f"pools[{index}]", item):
            if pool.id in found:
                read.refuse(f"pools[{index}]", pool.id, "is given twice", "each pool once")
            found[pool.id] = pool
    for pool in found.values():
        if pool.cluster and pool.cluster != cluster:
            reason = f"stands in cluster {pool.cluster!r}"
            read.refuse("pools", pool.id, reason, f"a pool of {cluster!r}")
    clouds = sorted({pool.cloud.value for pool in found.values()})
    if len(clouds) > 1:
        read.refuse("pools", ", ".join(clouds), "are of several clouds", "one cluster's pools")
    if not found and not read.problems:
        read.refuse("pools", None, "holds no pool", "what pool components output as `capacity`")
    return found


def _parse(read: Arguments, place: str, item: Any) -> Iterable[Pool]:
    if not isinstance(item, Mapping):
        reason = "is neither a pool nor what a pool component outputs as `capacity`"
        read.refuse(place, str(type(item).__name__), reason, "a plain mapping")
        return []
    try:
        if "pools" in item:
            return parse_fragment(item).pools
        return [Pool.model_validate(item)]
    except InvalidInput as error:
        _adopt(read, place, error.problems)
    except ValidationError as error:
        _adopt(read, place, describe_faults(read.where, item, error))
    return []


def _adopt(read: Arguments, place: str, problems: Iterable[Problem]) -> None:
    """Note the faults of one pool, at their places inside it."""
    for problem in problems:
        inside = f"{place}.{problem.property}" if problem.property else place
        read.problems.append(replace(problem, where=read.where, property=inside))


def choose_pools(
    read: Arguments,
    known: Mapping[str, Pool],
    accelerator: Accelerator | None,
    tolerance: InterruptionTolerance,
    service_level: str,
) -> tuple[Pool, ...]:
    """Return the pools of a queue: those that it names, or every one that fits."""
    wanted = accelerator.name if accelerator else ""
    named = read.texts("pools")
    if not named:
        fitting = [
            pool
            for pool in known.values()
            if pool.accelerator == wanted
            and service_level in ("", pool.service_level)
            and not any(check_tolerance("", tolerance, pool))
        ]
        if not fitting and known:
            reason = f"leaves none: no pool has {wanted or 'no accelerator'} and fits the rest"
            read.refuse("pools", None, reason, f"pools among {', '.join(sorted(known))}")
        return order_pools(fitting)
    found = [known[pool_id] for pool_id in dict.fromkeys(named) if pool_id in known]
    for index, pool_id in enumerate(named):
        if pool_id not in known:
            reason = "is no given pool" + suggest(pool_id, known)
            read.refuse(f"pools[{index}]", pool_id, reason, f"one of {', '.join(sorted(known))}")
    for pool in found:
        _check_named(read, pool, wanted, tolerance, service_level)
    return order_pools(found)


def _check_named(
    read: Arguments,
    pool: Pool,
    wanted: str,
    tolerance: InterruptionTolerance,
    service_level: str,
) -> None:
    if pool.accelerator != wanted:
        reason = f"has {pool.accelerator or 'no accelerator'}"
        read.refuse("pools", pool.id, reason, f"a pool with {wanted or 'no accelerator'}")
    if service_level not in ("", pool.service_level):
        reason = f"promises service level {pool.service_level or 'none'}"
        read.refuse("pools", pool.id, reason, f"a pool of service level {service_level}")
    for problem in check_tolerance(read.where, tolerance, pool):
        read.refuse("pools", pool.id, problem.reason, problem.expected)


def order_pools(pools: Iterable[Pool]) -> tuple[Pool, ...]:
    """Return pools in the order in which a queue fills them.

    Reserved before spot before on-demand; among equals the higher priority, then the id.
    """
    return tuple(
        sorted(
            pools,
            key=lambda pool: (FILLING_ORDER.index(pool.capacity_type), -pool.priority, pool.id),
        )
    )


def check_marks(read: Arguments, pools: Iterable[Pool]) -> None:
    """Refuse pools whose nodes Kueue could not tell or describe."""
    for pool in pools:
        if not find_node_labels(pool):
            reason = "states no node labels, so that nobody could tell its nodes"
            read.refuse("pools", pool.id, reason, "node labels, capacity-pool among them")
        if len(pool.taints) > MAXIMUM_MARKS:
            reason = f"has {len(pool.taints)} taints, and a ResourceFlavor may have {MAXIMUM_MARKS}"
            read.refuse("pools", pool.id, reason, f"at most {MAXIMUM_MARKS} taints")


def find_node_labels(pool: Pool) -> dict[str, str]:
    """Return the labels by which the nodes of a pool are told from all others."""
    own = pool.node_labels.get("capacity-pool")
    if own:
        return {"capacity-pool": own}
    return dict(sorted(pool.node_labels.items())[:MAXIMUM_MARKS])


def find_machines(read: Arguments, pools: Iterable[Pool], catalog: Catalog) -> dict[str, Machine]:
    """Return what the nodes of each pool have: Kueue admits by CPU and memory too."""
    return {pool.id: machine for pool in pools if (machine := _find_machine(read, pool, catalog))}


def _find_machine(read: Arguments, pool: Pool, catalog: Catalog) -> Machine | None:
    try:
        types = [catalog.instance_type(pool.cloud, name) for name in pool.instance_types]
    except InvalidInput as error:
        read.adopt(error, f"pools.{pool.id}")
        return None
    vcpus = [each.vcpus for each in types if each.vcpus is not None]
    memory = [each.memory_gib for each in types if each.memory_gib is not None]
    if len(vcpus) < len(types) or len(memory) < len(types):
        reason = "has instance types whose CPUs or memory the catalog does not know"
        expected = "types that it knows: Kueue admits by CPU and memory too"
        read.refuse("pools", pool.id, reason, expected)
        return None
    return Machine(min(vcpus), min(memory))
