"""The decision: a pipeline of small steps of one shape over one draft."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from tidegate.scaling.admission import admit, explain_minimum, lay_out
from tidegate.scaling.compose import compose_plan
from tidegate.scaling.deadline_choice import PATIENT, DeadlineBook
from tidegate.scaling.draft import Draft
from tidegate.scaling.endpoints import lacking_replicas, plan_replicas
from tidegate.scaling.fleet import Fleet
from tidegate.scaling.groups import OptionBook, group_items
from tidegate.scaling.improvement import improve_layout
from tidegate.scaling.interruption import drain_interrupted, requeue_interrupted
from tidegate.scaling.moves import move_work
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.preemption import preempt
from tidegate.scaling.release import delete_lost, release_idle
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.signals import sort_in_turn
from tidegate.scaling.situation import Situation, build_situation
from tidegate.scaling.standing import build_standing
from tidegate.scaling.warm import keep_warm
from tidegate.vocabulary.demand import Demand
from tidegate.vocabulary.plans import ScalingPlan

Step = Callable[[Draft], None]

STEPS: tuple[Step, ...] = (
    drain_interrupted,
    explain_minimum,
    admit,
    improve_layout,
    preempt,
    delete_lost,
    move_work,
    keep_warm,
    release_idle,
)
"""In this order: what is lost anyway, what must be there, who gets what, what can go."""


def decide(
    fleet: Fleet, demand: Demand, offerings: Offerings, settings: ScalingSettings, now: datetime
) -> ScalingPlan:
    """Return what to do now; pure, and equal for equal input in any order.

    Args:
        fleet: Pools as declared and nodes as observed.
        demand: What waits, and how its sources are.
        offerings: What can be ordered, with prices, quotas and the last refusals.
        settings: How carefully to scale.
        now: The time of the decision, with a zone.

    Raises:
        ValueError: When `now`, or the end of an override, has no zone.
    """
    if now.tzinfo is None:
        raise ValueError("a decision needs a time with a zone")
    draft = build_draft(build_situation(fleet, demand, offerings, settings, now))
    for step in STEPS:
        step(draft)
    return compose_plan(draft)


def build_draft(situation: Situation) -> Draft:
    """Return a draft in which nothing is decided yet."""
    replicas, holds = plan_replicas(situation)
    told = situation.signals.items
    more = (*requeue_interrupted(situation), *lacking_replicas(situation, replicas))
    deadlines = DeadlineBook(situation)
    patient = deadlines.find_patient((*told, *more))
    # What was told stands in its turn already.
    pending = told
    if more or patient:
        waiting = (item for item in (*told, *more) if item.id not in patient)
        pending = tuple(sort_in_turn(waiting))
    book = OptionBook(situation)
    standing = build_standing(situation)
    return Draft(
        situation=situation,
        bench=lay_out(standing),
        groups=group_items(pending, book, deadlines),
        book=book,
        deadlines=deadlines,
        pending=pending,
        running=frozenset(standing.running),
        holds=list(holds),
        refused=(*situation.signals.refused, *((item, PATIENT) for item in patient.values())),
        replicas=replicas,
    )
