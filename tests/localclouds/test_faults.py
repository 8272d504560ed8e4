"""Faults on command: kept, matched, used up, said in each cloud's words."""

from __future__ import annotations

import pytest

from tidegate.localclouds.faults import CLOUDS, Fault, FaultKind, Faults, judge
from tidegate.localclouds.store import Store
from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store.sqlite")
    yield made
    made.close()


def test_faults_outlive_the_process(store):
    Faults(store).add(Fault(FaultKind.QUOTA, "gcp", "*NodePool", count=2))

    assert Faults(store).list() == [Fault(FaultKind.QUOTA, "gcp", "*NodePool", 2, 0.0, 1)]


def test_a_fault_is_used_up_by_its_count_and_hits_only_what_it_names(store):
    faults = Faults(store)
    faults.add(Fault(FaultKind.QUOTA, "gcp", "*NodePool", count=2))

    assert list(faults.take("aws", "gcp:container/nodePool:NodePool")) == []
    assert list(faults.take("gcp", "gcp:container/cluster:Cluster")) == []
    assert len(faults.take("gcp", "gcp:container/nodePool:NodePool")) == 1
    assert [fault.count for fault in Faults(store).list()] == [1]
    assert len(faults.take("gcp", "gcp:container/nodePool:NodePool")) == 1
    assert list(faults.take("gcp", "gcp:container/nodePool:NodePool")) == []


def test_a_fault_without_a_count_stays_until_it_is_cleared(store):
    faults = Faults(store)
    faults.add(Fault(FaultKind.THROTTLING, count=None))

    assert [len(faults.take("aws", "x")) for _ in range(3)] == [1, 1, 1]
    assert faults.clear() == 1
    assert list(faults.take("aws", "x")) == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(FaultKind.QUOTA, "oci"), "aws, gcp, azure-native"),
        (Fault(FaultKind.QUOTA, count=0), "at least once"),
        (Fault(FaultKind.LATENCY), "latency needs a time"),
    ],
)
def test_refuses_faults_that_make_no_sense(store, fault, words):
    with pytest.raises(InvalidInput, match=words):
        Faults(store).add(fault)


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.LATENCY])
def test_every_cloud_has_words_for_every_fault(cloud, kind):
    wait, error = judge([Fault(FaultKind.LATENCY, seconds=0.5), Fault(kind)], cloud)

    assert wait == 0.5
    assert error.code
    assert error.message
    assert 400 <= error.status < 600
