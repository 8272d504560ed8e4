from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tidegate.traces.history import read_history
from tidegate.traces.polyaxon import read_polyaxon
from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.problems import InvalidInput

DATA = Path(__file__).resolve().parents[2] / "data" / "polyaxon"
LISTED = json.loads((DATA / "ops_ls.json").read_text(encoding="utf-8"))["results"]
GANG = json.loads((DATA / "ops_get.json").read_text(encoding="utf-8"))
SINGLE = [run for run in LISTED if run["runtime"] != "pytorchjob"]


@pytest.fixture
def read(tmp_path):
    def of(runs: object):
        file = tmp_path / "runs.json"
        file.write_text(json.dumps(runs))
        return read_polyaxon(file, "h100-80gb")

    return of


def refused(read, runs: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(runs)
    return str(caught.value)


def test_runs_of_one_container_are_read_from_the_list(read):
    found = read({"count": len(SINGLE), "results": SINGLE})
    sizes = [
        (job.seconds, job.accelerators(), job.shape.workload_class.value) for _, job in found.jobs
    ]
    assert sizes == [
        (28, 1, "notebook"),
        (15, 8, "training"),
        (9, 4, "training"),
        (15, 1, "training"),
    ]
    assert found.left_out == {"never started": 2, "without accelerators": 1}


def test_a_distributed_run_is_read_from_its_content(read):
    ((created, job),) = read(GANG).jobs
    assert created == datetime(2026, 11, 30, 22, 18, 59, 802250, UTC)
    need = job.shape.accelerators[0]
    assert (need.accelerator, need.per_worker, job.shape.workers) == ("h100-80gb", 8, 4)
    assert job.shape.workload_class is WorkloadClass.TRAINING


def test_every_pod_of_a_run_with_groups_of_workers_or_replicas_counts(read):
    box = {"resources": {"limits": {"nvidia.com/gpu": 8}}}
    groups = {"large": {"replicas": 3, "container": box}, "more": {"container": box}}
    ray = {"kind": "rayjob", "head": {"container": {}}, "workers": groups}
    service = {"kind": "service", "replicas": 2, "container": box}
    runs = [{**GANG, "content": json.dumps({"run": run})} for run in (ray, service)]
    assert [job.shape.workers for _, job in read(runs).jobs] == [4, 2]


def test_a_distributed_run_of_the_list_is_refused_since_its_size_is_not_told(read):
    said = refused(read, LISTED)
    assert "run 2" in said
    assert "polyaxon ops get" in said


def test_a_run_that_goes_on_is_left_out(read):
    running = {**SINGLE[0], "finished_at": None}
    assert read([running]).left_out == {"not finished": 1}


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([{"name": "no id"}], "uuid"),
        ([7], "uuid"),
        ("text", "holds no runs"),
        ([{**SINGLE[0], "created_at": "yesterday"}], "is no time"),
        ([{**SINGLE[0], "resources": {"gpu": 1.5}}], "makes no sense"),
        ([{**SINGLE[0], "resources": {"gpu": float("nan")}}], "makes no sense"),
        ([{**SINGLE[0], "resources": {"gpu": float("inf")}}], "makes no sense"),
        ([{**SINGLE[0], "content": "{}"}], "is not understood"),
    ],
)
def test_what_is_no_run_is_named(read, runs, said):
    assert said in refused(read, runs)


def test_a_history_of_runs_needs_to_be_told_the_accelerator(tmp_path):
    file = tmp_path / "runs.json"
    file.write_text(json.dumps(SINGLE))
    with pytest.raises(InvalidInput, match="--accelerator"):
        read_history(file)
    found = read_history(file, "h100-80gb")
    assert (len(found.jobs), found.jobs[0].submitted, found.end > 15) == (4, 0, True)
    assert found.left_out == {"never started": 2, "without accelerators": 1}


def test_runs_that_never_ended_are_no_history(tmp_path):
    file = tmp_path / "runs.json"
    file.write_text(json.dumps([run for run in SINGLE if run["status"] == "queued"]))
    with pytest.raises(InvalidInput, match="2 never started"):
        read_history(file, "h100-80gb")
