from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidegate.vocabulary.polyaxon_pods import list_pods

DATA = Path(__file__).resolve().parents[2] / "data" / "polyaxon"
BOX = {"image": "box"}


def told(run):
    return [replicas for replicas, _ in list_pods(run)]


def test_the_recorded_gang_is_its_worker_and_its_master():
    gang = json.loads((DATA / "ops_get.json").read_text(encoding="utf-8"))
    assert told(json.loads(gang["content"])["run"]) == [3, 1]


@pytest.mark.parametrize(
    ("run", "replicas"),
    [
        ({"kind": "job", "container": BOX}, [1]),
        ({"kind": "service", "container": BOX, "replicas": 2}, [2]),
        ({"kind": "dag", "operations": [{"container": BOX}]}, []),
        ({"kind": "job", "container": BOX, "init": [{"container": BOX}]}, [1]),
    ],
)
def test_one_container_is_one_role(run, replicas):
    assert told(run) == replicas


@pytest.mark.parametrize(
    "workers",
    [
        {"large": {"replicas": 4, "container": BOX}, "small": {"minReplicas": 2, "container": BOX}},
        [{"replicas": 4, "container": BOX}, {"minReplicas": 2, "container": BOX}],
    ],
    ids=["named", "listed"],
)
def test_each_group_of_rays_workers_is_a_role(workers):
    run = {"kind": "rayjob", "head": {"container": BOX}, "workers": workers}
    assert told(run) == [1, 4, 2]


def test_a_role_of_fewer_than_no_pods_is_none():
    assert told({"worker": {"replicas": -1, "container": BOX}}) == []
