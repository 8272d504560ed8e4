"""Where one job could run: candidates over clouds in order, and what excluded all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tidegate.scaling.bench import Bench
from tidegate.scaling.constraints import find_exclusion
from tidegate.scaling.deadline_choice import DeadlineBook
from tidegate.scaling.fleet import Fleet
from tidegate.scaling.marginal import HOUR, ZERO, Choice, build_choice, is_late, moving_seconds
from tidegate.scaling.offerings import Offering, Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.situation import Situation, build_situation, is_spot
from tidegate.scaling.standing import build_standing
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.demand import Demand, SourceHealth, WorkItem
from tidegate.vocabulary.plans import Cause, CauseKind
from tidegate.vocabulary.wording import render_count


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to run a job, on empty nodes.

    Attributes:
        offering: What would be ordered.
        cloud: Its cloud.
        region: Its region.
        nodes: How many nodes the job takes.
        per_hour: What they cost an hour beyond commitments; None where unknown.
        useful_per_hour: What a useful hour costs, rework and transfers included; None likewise.
        total: What the whole job costs so; None where price or duration is unknown.
        wait_seconds: Until it starts: boot, and its data moved.
        reason: Why it stands where it stands.
        assumed: True when the price is an average or a ratio.
    """

    offering: Offering
    cloud: str
    region: str
    nodes: int
    per_hour: Decimal | None
    useful_per_hour: Decimal | None
    total: Decimal | None
    wait_seconds: int
    reason: str
    assumed: bool


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """Candidates in order, and every other offering with what excluded it."""

    candidates: tuple[Candidate, ...]
    excluded: tuple[tuple[str, Cause], ...]
    currency: str


def place_job(
    job: WorkItem,
    fleet: Fleet,
    offerings: Offerings,
    settings: ScalingSettings,
    now: datetime,
) -> PlaceAnswer:
    """Return where one job could run, cheapest useful hour first; late starts after those in time.

    Pools that another scaler resizes are candidates too: this answers where, not who scales.
    """
    asked = Demand((job,), (SourceHealth("the job", now),))
    situation = build_situation(fleet, asked, offerings, settings, now)
    bench = Bench(build_standing(situation))
    excluded = [(entry.id, cause) for entry, cause in _exclusions(job, situation, bench) if cause]
    out = {name for name, _ in excluded}
    candidates = []
    for offering in situation.offerings.values():
        choice = build_choice(job.shape, offering, situation) if offering.id not in out else None
        if choice is not None:
            candidates.append(_build_candidate(job, choice, situation, bench))
    candidates.sort(key=lambda entry: _order(entry, job))
    return PlaceAnswer(tuple(candidates), tuple(sorted(excluded)), offerings.currency)


def _exclusions(
    job: WorkItem, situation: Situation, bench: Bench
) -> Iterator[tuple[Offering, Cause | None]]:
    refused = {item.id: cause for item, cause in situation.signals.refused}.get(job.id)
    # Of what makes no sense nobody knows how long it takes.
    urgent = refused is None and DeadlineBook(situation).is_urgent(
        job.shape, job.deadline, job.work_left_seconds
    )
    for offering in situation.offerings.values():
        cause = refused or find_exclusion(job.shape, offering, situation, urgent=urgent)
        cause = cause or _too_little(job, offering, situation, bench)
        if cause is None and build_choice(job.shape, offering, situation) is None:
            text = "interruptions would undo all work"
            cause = Cause(CauseKind.INTERRUPTION, offering.id, text)
        yield offering, cause


def _too_little(
    job: WorkItem, offering: Offering, situation: Situation, bench: Bench
) -> Cause | None:
    """Return what keeps all the nodes of a job from being ordered together."""
    choice = build_choice(job.shape, offering, situation)
    scaled_by_us = situation.pools[offering.pool].scaler is Scaler.TIDEGATE
    cause = bench.ledger.refusal(offering) if scaled_by_us else None
    if choice is None or cause is not None:
        return cause
    nodes, high = choice.nodes_for(job.shape.workers), situation.bounds[offering.pool].high
    mark = bench.mark()
    while scaled_by_us and nodes > 0 and cause is None:
        cause = bench.ledger.refusal(offering)
        nodes -= situation.pools[offering.pool].nodes_at_once
        bench.order(offering)
    bench.rollback(mark)
    if cause is None and choice.nodes_for(job.shape.workers) > high:
        needed = render_count(choice.nodes_for(job.shape.workers), "node")
        text = f"needs {needed} of at most {high}"
        return Cause(CauseKind.MAXIMUM, offering.pool, text)
    return cause


def _build_candidate(
    job: WorkItem, choice: Choice, situation: Situation, bench: Bench
) -> Candidate:
    offering, shape = choice.offering, job.shape
    pool = situation.pools[offering.pool]
    nodes = choice.nodes_for(shape.workers)
    paid = None
    if offering.per_hour is not None or bench.ledger.is_covered(offering):
        paid = bench.ledger.price_of_new(offering, nodes)
    useful = (
        None if paid is None else paid + choice.rework * nodes + choice.transfer * shape.workers
    )
    total = None
    if useful is not None and shape.duration_seconds:
        total = useful * shape.duration_seconds / HOUR
    return Candidate(
        offering=offering,
        cloud=pool.cloud,
        region=pool.region,
        nodes=nodes,
        per_hour=paid,
        useful_per_hour=useful,
        total=total,
        wait_seconds=offering.boot_seconds + moving_seconds(shape, offering, situation),
        reason=_explain(choice, situation, bench),
        assumed=offering.assumed,
    )


def _explain(choice: Choice, situation: Situation, bench: Bench) -> str:
    offering = choice.offering
    parts = []
    if bench.ledger.is_covered(offering):
        parts.append(f"commitment {offering.commitment} pays for it")
    elif offering.per_hour is None:
        parts.append("its price is unknown, so it stands last")
    if is_spot(offering) and offering.interruptions_per_hour is None:
        parts.append("spot; how often it is interrupted is unknown, so the price is a lower bound")
    elif is_spot(offering):
        parts.append(f"spot; rework adds {choice.rework:.2f} a node and hour")
    if choice.transfer > ZERO:
        parts.append(f"moving data adds {choice.transfer:.2f} a worker and hour")
    scaler = situation.pools[offering.pool].scaler
    if scaler is not Scaler.TIDEGATE:
        parts.append(f"scaled by {scaler.value}")
    return "; ".join(parts) or offering.capacity_type.value


def _order(entry: Candidate, job: WorkItem) -> tuple[bool, bool, Decimal, int, str]:
    late = is_late(job.shape, entry.wait_seconds)
    useful = entry.useful_per_hour
    return late, useful is None, useful or ZERO, entry.wait_seconds, entry.offering.id
