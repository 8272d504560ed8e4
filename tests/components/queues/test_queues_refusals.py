"""Queues that cannot be: every fault at once, each naming property, value and remedy."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components.queues.parse import parse_queues
from tidegate_components.queues.pools import FILLING_ORDER, order_pools

from tidegate.manifest.model import Pool
from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture
def refuse(queue_args, catalog):
    """Return the lines with which arguments are refused."""

    def run(change):
        args = queue_args()
        change(args)
        with pytest.raises(InvalidInput) as caught:
            parse_queues("gpus", args, catalog)
        return [str(problem) for problem in caught.value.problems]

    return run


CASES = [
    (
        "a pool without an accelerator in a queue of one",
        lambda args: (
            args["pools"][1].update(accelerator="", acceleratorsPerNode=0),
            args["queues"][1].update(pools=["paid", "ordered"]),
            args["queues"][1]["quotas"].pop("paid"),
        ),
        "queues gpus: queues[1].pools = 'paid': has no accelerator; expected a pool with a100-40gb",
    ),
    (
        "an unknown pool",
        lambda args: args["queues"][0].update(pools=["cheep"], quotas={}),
        "queues gpus: queues[0].pools[0] = 'cheep': is no given pool (did you mean 'cheap'?)",
    ),
    (
        "a quota above what the pool can have",
        lambda args: args["queues"][0].update(quotas={"cheap": 33}),
        (
            "queues gpus: queues[0].quotas.cheap = 33: is more than the pool can have at 4 nodes; "
            "expected at most 32"
        ),
    ),
    (
        "queues that together own more than the pool can have",
        lambda args: args["queues"][0].update(quotas={"cheap": 32, "paid": 1}),
        (
            "queues gpus: quotas.paid = '33': is more than the pool can have (32 at 4 nodes), for "
            "queues a100, a100-interruptible"
        ),
    ),
    (
        "queues that share a pool and do not say what is theirs",
        lambda args: args["queues"][0].pop("quotas"),
        "queues gpus: queues[0].quotas: is missing, and queues a100-interruptible, a100 share pool",
    ),
    (
        "a spot pool for work that survives no interruption",
        lambda args: args["queues"][1].update(pools=["ordered", "cheap"], quotas={"ordered": 1}),
        "queues gpus: queues[1].pools = 'cheap': is a spot pool, and the queue's work survives no",
    ),
    (
        "borrowing more than the cohort has",
        lambda args: args["queues"][0].update(borrowing_limit=65),
        (
            "queues gpus: queues[0].borrowing_limit = 65: is more than the other queues of the "
            "cohort own of its pools (64)"
        ),
    ),
    (
        "borrowing for work that survives no interruption",
        lambda args: args["queues"][1].update(borrowing_limit=8),
        "queues gpus: queues[1].borrowing_limit = 8: would be taken back from work that survives",
    ),
    (
        "lending more than it owns",
        lambda args: args["queues"][0].update(lending_limit=40),
        "queues gpus: queues[0].lending_limit = 40: is more than it owns of any pool (32)",
    ),
    (
        "a namespace that Kubernetes does not take",
        lambda args: args["namespaces"][0].update(name="Team_A"),
        "queues gpus: namespaces[0].name = 'Team_A': is no name of a namespace",
    ),
    (
        "a namespace of the system",
        lambda args: args["namespaces"][0].update(name="kube-system"),
        "queues gpus: namespaces[0].name = 'kube-system': is no name of a namespace",
    ),
    (
        "a namespace that names an unknown queue",
        lambda args: args["namespaces"][1].update(queues=["a10"]),
        "queues gpus: namespaces[1].queues[0] = 'a10': is no queue (did you mean 'a100'?)",
    ),
    (
        "a namespace without a bound on what others use too",
        lambda args: args["namespaces"][1].pop("quotas"),
        (
            "queues gpus: namespaces[1].quotas.a100-40gb: is missing: 2 namespaces share it, "
            "and one could take all 96"
        ),
    ),
    (
        "a namespace that may take all",
        lambda args: args["namespaces"][0].update(quotas={"a100-40gb": 96}),
        "queues gpus: namespaces[0].quotas.a100-40gb = 96: is all that there can be, and 2",
    ),
    (
        "a bound on what none of its queues has",
        lambda args: args["namespaces"][0]["quotas"].update({"h100-80gb": 8}),
        "queues gpus: namespaces[0].quotas.h100-80gb = 8: is the accelerator of none of its queues",
    ),
    (
        "one namespace twice",
        lambda args: args["namespaces"][1].update(name="vision"),
        "queues gpus: namespaces = 'vision': is declared 2 times",
    ),
    (
        "one queue twice",
        lambda args: args["queues"][0].update(name="a100"),
        "queues gpus: queues = 'a100': is declared 2 times",
    ),
    (
        "a pool of another cluster",
        lambda args: args["pools"][1].update(cluster="other"),
        "queues gpus: pools = 'paid': stands in cluster 'other'; expected a pool of 'ml'",
    ),
    (
        "pools of several clouds",
        lambda args: args["pools"][1].update(cloud="gcp", instanceTypes=["a2-highgpu-8g"]),
        "queues gpus: pools = 'aws, gcp': are of several clouds; expected one cluster's pools",
    ),
    (
        "a pool twice",
        lambda args: args["pools"].append(args["pools"][1]),
        "queues gpus: pools[2] = 'paid': is given twice",
    ),
    (
        "a pool in no form",
        lambda args: args["pools"].append("cheap"),
        "queues gpus: pools[2] = 'str': is neither a pool nor what a pool component outputs",
    ),
    (
        "a pool that breaks the manifest's model",
        lambda args: args["pools"][1].update(maxNodes=-1),
        "queues gpus: pools[1].maxNodes = -1",
    ),
    (
        "an unknown priority",
        lambda args: args["queues"][0].update(priority="hihg"),
        "queues gpus: queues[0].priority = 'hihg': is no priority (did you mean 'high'?)",
    ),
    (
        "a priority that Kubernetes keeps for itself",
        lambda args: args.update(priorities=[{"name": "normal", "value": 2_000_000_000}]),
        "queues gpus: priorities[0].value = 2000000000: is among the values that Kubernetes keeps",
    ),
    (
        "an unknown accelerator",
        lambda args: args["queues"][0].update(accelerator="a100-41gb"),
        "queues gpus: queues[0].accelerator = 'a100-41gb'",
    ),
    (
        "an accelerator that no pool has",
        lambda args: args["queues"][0].update(accelerator="h100-80gb", quotas={}),
        "queues gpus: queues[0].pools: leaves none: no pool has h100-80gb and fits the rest",
    ),
    (
        "queued pools without a class",
        lambda args: args["queues"][0].update(queued_pools=["cheap"]),
        "queues gpus: provisioning_class: is needed by queued_pools of queue a100-interruptible",
    ),
    (
        "machines that the catalog does not know",
        lambda args: args["pools"][1].update(instanceTypes=["p4d.99xlarge"]),
        "queues gpus: pools.paid",
    ),
    (
        "nodes that nobody could tell",
        lambda args: args["pools"][1].update(nodeLabels={}),
        "queues gpus: pools = 'paid': states no node labels, so that nobody could tell its nodes",
    ),
    (
        "more taints than a flavor has",
        lambda args: args["pools"][1].update(
            taints=[{"key": f"t{number}", "effect": "NoSchedule"} for number in range(9)]
        ),
        "queues gpus: pools = 'paid': has 9 taints, and a ResourceFlavor may have 8",
    ),
    (
        "a run that no node could hold",
        lambda args: args["queues"][0].update(accelerators_per_run=16),
        "queues gpus: queues[0].accelerators_per_run = 16: is more than one node of each of its",
    ),
    (
        "a queue that owns nothing and borrows nothing",
        lambda args: args["queues"][1].update(quotas={}),
        "queues gpus: queues[1].quotas: leave it nothing, and it borrows nothing",
    ),
    (
        "a quota that is no whole number",
        lambda args: args["queues"][0].update(quotas={"cheap": 1.5}),
        "queues gpus: queues[0].quotas.cheap = 1.5: is out of range; expected a whole number",
    ),
    (
        "no queue at all",
        lambda args: args.update(queues=[], namespaces=[]),
        "queues gpus: queues: is empty; expected at least one queue",
    ),
    (
        "a misspelt argument",
        lambda args: args["queues"][0].update(qoutas={}),
        "queues gpus: queues[0].qoutas: is not an argument (did you mean 'quotas'?)",
    ),
]


@pytest.mark.parametrize(("_", "change", "start"), CASES, ids=[each[0] for each in CASES])
def test_what_cannot_be_is_refused(refuse, _, change, start):
    said = refuse(change)

    assert any(line.startswith(start) for line in said), said
    assert [line for line, count in Counter(said).items() if count > 1] == []


def test_every_fault_is_said_at_once(refuse):
    def change(args):
        args["queues"][0].update(pools=["cheep"], borrowing_limit=-1, quotas={})
        args["namespaces"][0].update(name="Team_A")
        args["pools"][1].update(cluster="other")
        del args["labels"]["owner"]

    said = "\n".join(refuse(change))

    for place in ("queues[0].pools[0]", "borrowing_limit", "namespaces[0].name", "labels.owner"):
        assert place in said
    assert "stands in cluster 'other'" in said


def test_an_output_in_what_enters_the_manifest_is_refused(record, refuse):
    def change(args):
        args["queues"][0]["quotas"] = pulumi.Output.from_input({"cheap": 1})

    said = []
    record(lambda: said.extend(refuse(change)))  # an Output needs a program

    assert any("quotas: is an Output, but enters the capacity manifest" in line for line in said)


@given(data=st.data())
def test_the_filling_order_is_one_whatever_the_order_of_the_arguments(data):
    made = [
        Pool.model_construct(id=name, capacity_type=capacity_type, priority=priority)
        for name, capacity_type, priority in data.draw(
            st.lists(
                st.tuples(
                    st.sampled_from("abcdef"), st.sampled_from(FILLING_ORDER), st.integers(0, 3)
                ),
                unique_by=lambda each: each[0],
            )
        )
    ]

    ordered = order_pools(made)

    assert ordered == order_pools(data.draw(st.permutations(made)))
    ranks = [FILLING_ORDER.index(pool.capacity_type) for pool in ordered]
    assert ranks == sorted(ranks)
    for first, second in pairwise(ordered):
        if first.capacity_type is second.capacity_type:
            assert (-first.priority, first.id) < (-second.priority, second.id)


def test_whole_numbers_of_other_languages_are_whole_numbers(queue_args, catalog):
    args = queue_args()
    args["queues"][0]["quotas"] = {"cheap": 32.0}
    args["namespaces"][0]["quotas"] = {"a100-40gb": 48.0}

    spec = parse_queues("gpus", args, catalog)

    assert spec.queues[0].quotas["cheap"] == 32
    assert spec.namespaces[0].hard["requests.nvidia.com/gpu"] == 48
