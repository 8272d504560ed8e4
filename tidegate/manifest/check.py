"""What a well-formed manifest can still get wrong: references, bounds, zones, contradictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pydantic.alias_generators import to_camel

from tidegate.manifest.build import SECTIONS, find_duplicates, find_second_owners
from tidegate.manifest.kept import Bucket, Budget
from tidegate.manifest.model import Commitment, Endpoint, Manifest, Pool
from tidegate.manifest.queues import check_queues
from tidegate.manifest.times import check_window
from tidegate.vocabulary.capacity import (
    CapacityType,
    InterruptionTolerance,
    PoolKind,
    Scaler,
    WorkloadClass,
)
from tidegate.vocabulary.labels import REQUIRED_KEYS, check_label_value
from tidegate.vocabulary.problems import Problem, suggest


class FindingLevel(StrEnum):
    """An error makes the manifest unusable; a warning is for a person to judge."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a manifest."""

    level: FindingLevel
    problem: Problem


def check_manifest(manifest: Manifest) -> list[Finding]:
    """Return what is wrong or doubtful, errors first; empty when nothing is."""
    errors = [*_errors(manifest)]
    warnings = [*_warnings(manifest)]
    return [Finding(FindingLevel.ERROR, problem) for problem in errors] + [
        Finding(FindingLevel.WARNING, problem) for problem in warnings
    ]


def _errors(manifest: Manifest) -> Iterator[Problem]:
    for section in SECTIONS:
        yield from find_duplicates(getattr(manifest, section))
        for entry in getattr(manifest, section):
            yield from _check_labels(f"{type(entry).__name__.lower()} {entry.id}", entry.labels)
    for pool in manifest.pools:
        yield from check_pool(pool)
        yield from _check_reservation(pool, manifest.commitments)
    for endpoint in manifest.endpoints:
        yield from _check_endpoint(endpoint, manifest.pools)
        yield from _check_endpoint_commitment(endpoint, manifest)
    for commitment in manifest.commitments:
        yield from _check_commitment(commitment)
    for bucket in manifest.buckets:
        yield from _check_bucket(bucket)
    yield from find_second_owners(manifest.buckets)
    yield from check_queues(manifest.queues, manifest.pools)
    for budget in manifest.budgets:
        yield from _check_budget(budget)


def _check_labels(where: str, labels: dict[str, str]) -> Iterator[Problem]:
    for key, value in labels.items():
        yield from check_label_value(where, key, value)
    for key in REQUIRED_KEYS:
        if key not in labels:
            reason = "is a required cost label and is missing"
            yield Problem(where, f"labels.{key}", "", reason, "a value for every required key")


def check_pool(pool: Pool) -> Iterator[Problem]:
    """Yield what one pool gets wrong by itself, whatever else is declared."""
    where = f"pool {pool.id}"
    yield from _check_bounds(where, "Nodes", pool.min_nodes, pool.max_nodes)
    declared = pool.declared_nodes
    bounded = pool.min_nodes <= pool.max_nodes
    if bounded and declared is not None and not pool.min_nodes <= declared <= pool.max_nodes:
        reason = f"lies outside minNodes {pool.min_nodes} and maxNodes {pool.max_nodes}"
        yield Problem(where, "declaredNodes", str(declared), reason, "a value between them")
    if pool.labels.get("capacity-pool", pool.id) != pool.id:
        value = pool.labels["capacity-pool"]
        reason = "names another pool, so cost would be booked there"
        yield Problem(where, "labels.capacity-pool", repr(value), reason, repr(pool.id))
    if pool.scaler is Scaler.PROVIDER and pool.kind is PoolKind.EKS_NODE_GROUP:
        reason = "EKS scales no node group by itself"
        yield Problem(where, "scaler", "'provider'", reason, "cluster-autoscaler or tidegate")
    if (pool.scaler is Scaler.KARPENTER) is not (pool.kind is PoolKind.KARPENTER_NODE_POOL):
        reason = f"does not resize a pool of kind {pool.kind.value}"
        expected = "karpenter for a karpenter-node-pool, and for no other"
        yield Problem(where, "scaler", repr(pool.scaler.value), reason, expected)
    yield from _check_together(where, pool)
    intolerant = pool.interruption_tolerance is InterruptionTolerance.INTOLERANT
    if pool.capacity_type is CapacityType.SPOT and intolerant:
        reason = "spot nodes are taken away at short notice"
        yield Problem(where, "interruptionTolerance", "'intolerant'", reason, "tolerant")
    yield from _check_floor(where, pool)
    yield from _check_times(pool)


def _check_floor(where: str, pool: Pool) -> Iterator[Problem]:
    """A floor bought on demand is a spot pool's, and part of its nodes."""
    base, percent = pool.on_demand_base_nodes, pool.on_demand_percent_above_base
    if pool.capacity_type is not CapacityType.SPOT:
        for name, value in (("onDemandBaseNodes", base), ("onDemandPercentAboveBase", percent)):
            if value:
                reason = f"concerns spot pools, and this one is {pool.capacity_type.value}"
                yield Problem(where, name, str(value), reason, "0, or capacityType spot")
    elif base > pool.max_nodes:
        reason = f"is above maxNodes {pool.max_nodes}"
        yield Problem(where, "onDemandBaseNodes", str(base), reason, f"at most {pool.max_nodes}")


def _check_together(where: str, pool: Pool) -> Iterator[Problem]:
    """Yield bounds that would leave a part of the nodes that come and go together."""
    together = pool.nodes_at_once
    for key, nodes in (("minNodes", pool.min_nodes), ("maxNodes", pool.max_nodes)):
        if nodes % together:
            reason = f"is a part of the {together} nodes that come and go together"
            yield Problem(where, key, str(nodes), reason, f"a multiple of {together}")


def _check_reservation(pool: Pool, commitments: list[Commitment]) -> Iterator[Problem]:
    where = f"pool {pool.id}"
    if not pool.reservation:
        if pool.capacity_type is CapacityType.RESERVED:
            reason = "is needed by capacity type reserved and is missing"
            yield Problem(where, "reservation", "", reason, "the id of a declared commitment")
        return
    value = repr(pool.reservation)
    if pool.capacity_type is not CapacityType.RESERVED:
        reason = f"cannot be consumed by capacity type {pool.capacity_type.value}"
        yield Problem(where, "reservation", value, reason, "capacityType reserved, or none")
    known = {commitment.id: commitment for commitment in commitments}
    commitment = known.get(pool.reservation)
    if commitment is None:
        reason = "is no declared commitment" + suggest(pool.reservation, known)
        yield Problem(where, "reservation", value, reason, f"one of {sorted(known)}")
        return
    place = (commitment.cloud.value, commitment.region)
    if commitment.cloud is not pool.cloud or commitment.region not in ("", pool.region):
        reason = f"stands in {'/'.join(place)}, the pool in {pool.cloud.value}/{pool.region}"
        yield Problem(where, "reservation", value, reason, "one in the pool's own region")
    if commitment.covers and not set(pool.instance_types) <= set(commitment.covers):
        reason = f"covers {', '.join(commitment.covers)}, not {', '.join(pool.instance_types)}"
        yield Problem(where, "reservation", value, reason, "one that covers the pool's nodes")


def _check_times(pool: Pool) -> Iterator[Problem]:
    where = f"pool {pool.id}"
    for index, window in enumerate(pool.windows):
        yield from check_window(where, f"windows[{index}]", window.cron, window.time_zone)
    for index, schedule in enumerate(pool.schedules):
        place = f"schedules[{index}]"
        yield from check_window(where, place, schedule.cron, schedule.time_zone)
        bounds = (schedule.min_nodes, schedule.max_nodes)
        yield from _check_bounds(where, "Nodes", *bounds, prefix=f"{place}.")


def _check_endpoint(endpoint: Endpoint, pools: list[Pool]) -> Iterator[Problem]:
    where = f"endpoint {endpoint.id}"
    yield from _check_bounds(where, "Replicas", endpoint.min_replicas, endpoint.max_replicas)
    known = {pool.id: pool for pool in pools}
    for key, name in (("pool", endpoint.pool), ("elasticPool", endpoint.elastic_pool)):
        if name and name not in known:
            reason = "is no declared pool" + suggest(name, known)
            yield Problem(where, key, repr(name), reason, f"one of {sorted(known)}")
        elif name and known[name].cloud is not endpoint.cloud:
            reason = f"stands in {known[name].cloud.value}, not {endpoint.cloud.value}"
            yield Problem(where, key, repr(name), reason, "a pool of the same cloud")


def _check_endpoint_commitment(endpoint: Endpoint, manifest: Manifest) -> Iterator[Problem]:
    """Yield an undeclared commitment, and one whose machines the pool would leave idle."""
    where, name = f"endpoint {endpoint.id}", endpoint.commitment
    known = {commitment.id: commitment for commitment in manifest.commitments}
    if not name:
        return
    if name not in known:
        reason = "is no declared commitment" + suggest(name, known)
        yield Problem(where, "commitment", repr(name), reason, f"one of {sorted(known)}")
        return
    pools = {pool.id: pool for pool in manifest.pools}
    pool = pools.get(endpoint.pool)
    holds = known[name].kind in ("capacity-reservation", "capacity-block")
    if pool and holds and pool.reservation != name:
        reason = f"is not what its pool {pool.id} consumes, so that it would stay idle"
        expected = f"reservation {name!r} on the pool"
        yield Problem(where, "commitment", repr(name), reason, expected)


def _check_commitment(commitment: Commitment) -> Iterator[Problem]:
    where = f"commitment {commitment.id}"
    start, end = commitment.start, commitment.end
    if start and end and end <= start:
        reason = f"is not after the start {start.isoformat()}"
        yield Problem(where, "end", end.isoformat(), reason, "a later day")
    if commitment.units is None and commitment.hourly_amount is None:
        reason = "is missing, and so is hourlyAmount: what is committed is unknown"
        yield Problem(where, "units", "", reason, "units, an hourly amount, or both")


def _check_bucket(bucket: Bucket) -> Iterator[Problem]:
    where = f"bucket {bucket.id}"
    ages = [tier.after_days for tier in bucket.tiers]
    if ages != sorted(set(ages)):
        yield Problem(where, "tiers", str(ages), "do not ascend in age", "each later than the last")
    if bucket.expire_after_days is not None and ages and bucket.expire_after_days <= max(ages):
        reason = f"is not after the last tier at {max(ages)} days"
        value = str(bucket.expire_after_days)
        yield Problem(where, "expireAfterDays", value, reason, f"more than {max(ages)}")


def _check_budget(budget: Budget) -> Iterator[Problem]:
    where = f"budget {budget.id}"
    start, end = budget.start, budget.end
    if start and end and end <= start:
        reason = f"is not after the start {start.isoformat()}"
        yield Problem(where, "end", end.isoformat(), reason, "a later day")
    for name in ("thresholds_percent", "forecast_thresholds_percent"):
        stated = getattr(budget, name)
        if any(percent <= 0 for percent in stated) or len(set(stated)) < len(stated):
            reason = "are no shares of an amount, each once"
            yield Problem(where, to_camel(name), str(stated), reason, "whole percents above 0")


def _check_bounds(
    where: str, what: str, low: int, high: int, *, prefix: str = ""
) -> Iterator[Problem]:
    if low > high:
        reason = f"is above max{what} {high}"
        yield Problem(where, f"{prefix}min{what}", str(low), reason, f"at most {high}")


def _warnings(manifest: Manifest) -> Iterator[Problem]:
    for pool in manifest.pools:
        spot = pool.capacity_type is CapacityType.SPOT
        if spot and WorkloadClass.TRAINING in pool.workload_classes and pool.checkpoint is None:
            reason = "is missing: an interruption loses a training run's whole work"
            expected = "interval, write and restart seconds of the checkpoints"
            yield Problem(f"pool {pool.id}", "checkpoint", "", reason, expected)
    consumed = {pool.reservation for pool in manifest.pools}
    for commitment in manifest.commitments:
        if commitment.kind == "capacity-reservation" and commitment.id not in consumed:
            reason = "is consumed by no pool, and is paid for all the same"
            yield Problem(f"commitment {commitment.id}", "", "", reason, "a pool that names it")
    if manifest.hourly_ceiling is None:
        reason = "is missing: nothing bounds what the whole stack may cost"
        yield Problem("manifest", "hourlyCeiling", "", reason, "an amount and a currency")
