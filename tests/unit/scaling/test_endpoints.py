from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from support.scaling import ago, demand, item, node, offering, plan, pool, shape, sizes, work

from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.demand import AcceleratorNeed
from tidegate.vocabulary.plans import ReplicaPlan
from tidegate.vocabulary.serving import EndpointDemand, ServingSignals, ServingTarget

TARGET = ServingTarget(0, 20, concurrency=4, service_seconds=Decimal(2), utilization=Decimal("0.5"))
REPLICA = replace(shape(4), workload_class=WorkloadClass.INFERENCE)


def endpoint(name: str = "chat", **signals) -> EndpointDemand:
    told = {"replicas": 2, "request_rate": Decimal(4), **signals}
    return EndpointDemand(name, REPLICA, TARGET, ServingSignals(**told))


def decide(*endpoints, items=(), nodes=(), sources=None):
    asked = replace(demand(*items, sources=sources), endpoints=endpoints)
    return plan([pool()], [offering()], asked=asked, nodes=nodes)


def test_replicas_that_lack_come_with_their_nodes_in_one_decision():
    full = node(phase="busy", running=(work("chat/a", 4), work("chat/b", 4)))
    found = decide(endpoint(), nodes=[full])
    assert found.replicas == (ReplicaPlan("chat", 2, 4, "4 requests/s and 0 waiting"),)
    assert sizes(found) == {"train": (1, 2)}


def test_replicas_that_wait_for_a_node_are_not_counted_twice():
    waiting = tuple(item(f"chat-{n}", REPLICA) for n in range(2))
    found = decide(endpoint(replicas=4), items=waiting)
    assert (found.replicas[0].to_replicas, sizes(found)) == (4, {"train": (0, 1)})


def test_what_is_expected_counts_before_it_comes():
    found = decide(endpoint(replicas=4, expected_rate=Decimal(7)))
    assert found.replicas == (ReplicaPlan("chat", 4, 7, "7 requests/s expected"),)


def test_nothing_shrinks_while_a_source_is_in_doubt():
    quiet = endpoint(replicas=4, request_rate=Decimal(1), last_request_at=ago(5))
    assert decide(quiet).replicas[0].to_replicas == 2
    assert decide(quiet, sources=()).replicas[0].to_replicas == 4


def test_an_endpoint_that_is_told_of_twice_and_differently_is_held():
    found = decide(endpoint(), endpoint(replicas=3))
    assert found.replicas == ()
    assert "endpoint chat is told of twice, and differently" in [h.reason for h in found.holds]


def test_a_replica_that_makes_no_sense_is_held():
    broken = replace(endpoint(), shape=replace(REPLICA, accelerators=(AcceleratorNeed("x", 0),)))
    found = decide(broken)
    assert (found.replicas, found.resizes) == ((), ())
