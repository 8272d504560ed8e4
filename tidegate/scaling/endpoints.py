"""Endpoints in a decision: how many replicas each should have, and nodes for those it lacks."""

from __future__ import annotations

from collections.abc import Iterable

from tidegate.scaling.serving import decide_replicas
from tidegate.scaling.signals import explain_shape
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.plans import Hold, ReplicaPlan
from tidegate.vocabulary.serving import EndpointDemand


def plan_replicas(situation: Situation) -> tuple[tuple[ReplicaPlan, ...], tuple[Hold, ...]]:
    """Return each endpoint's replicas, by id, and what is held for lack of sense."""
    by_id: dict[str, EndpointDemand] = {}
    doubts: dict[str, str] = {}
    for endpoint in situation.endpoints:
        known = by_id.setdefault(endpoint.id, endpoint)
        if known != endpoint:
            doubts[endpoint.id] = "is told of twice, and differently"
        elif reason := explain_shape(endpoint.shape):
            doubts[endpoint.id] = reason
    plans = [_plan(by_id[name], situation) for name in sorted(by_id) if name not in doubts]
    holds = [Hold("", f"endpoint {name} {doubts[name]}") for name in sorted(doubts)]
    return tuple(plans), tuple(holds)


def _plan(endpoint: EndpointDemand, situation: Situation) -> ReplicaPlan:
    decided = decide_replicas(endpoint.target, endpoint.signals, situation.now)
    wanted, reasons = decided.replicas, decided.reasons
    now = endpoint.signals.replicas
    if wanted < now and not situation.signals.may_shrink:
        wanted, reasons = now, (*reasons, "nothing shrinks while signals are in doubt")
    return ReplicaPlan(endpoint.id, now, wanted, "; ".join(reasons))


def lacking_replicas(situation: Situation, plans: Iterable[ReplicaPlan]) -> tuple[WorkItem, ...]:
    """Return replicas that are to be added as items, so that their nodes come with this plan.

    Replicas that were added before and wait for a node are told as items by their source.
    """
    shapes = {endpoint.id: endpoint.shape for endpoint in situation.endpoints}
    return tuple(
        WorkItem(f"{plan.endpoint}/{number}", shapes[plan.endpoint], situation.now)
        for plan in plans
        for number in range(plan.from_replicas, plan.to_replicas)
    )
