from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tidegate.cli.place import app
from tidegate.manifest.build import build_manifest, dump_manifest
from tidegate.vocabulary.problems import InvalidInput

POOL = {
    "cloud": "gcp",
    "region": "us-central1",
    "kind": "gke-node-pool",
    "accelerator": "h100-80gb",
    "acceleratorsPerNode": 8,
    "instanceTypes": ["a3-highgpu-8g"],
    "capacityType": "on-demand",
    "minNodes": 0,
    "maxNodes": 4,
    "bootSeconds": 300,
    "labels": {},
    "interruptionTolerance": "tolerant",
    "workloadClasses": ["training"],
    "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
    "scaler": "tidegate",
}
JOB = """
id: finetune
accelerators:
  - {accelerator: h100-80gb, perWorker: 8}
workers: 2
durationSeconds: 7200
checkpoint: {intervalSeconds: 600, writeSeconds: 20, restartSeconds: 60}
"""


@pytest.fixture
def run(tmp_path):
    pools = [
        POOL | {"id": "spot", "capacityType": "spot"},
        POOL | {"id": "od"},
        POOL | {"id": "small", "maxNodes": 1},
        POOL | {"id": "serve", "workloadClasses": ["inference"]},
    ]
    manifest = build_manifest(
        [{"pools": pools}], project="tidegate", stack="dev", catalog_digest="sha256:0"
    )
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(dump_manifest(manifest)))

    def invoke(job: str, *options: str):
        file = tmp_path / "job.yaml"
        file.write_text(job)
        return CliRunner().invoke(app, [str(file), "--manifest", str(path), *options])

    return invoke


def test_candidates_stand_in_order_and_every_other_pool_says_what_excluded_it(run):
    found = run(JOB, "--format", "json")
    answer = json.loads(found.stdout)
    assert found.exit_code == 0
    assert [(c["pool"], c["nodes"], c["waitSeconds"]) for c in answer["candidates"]] == [
        ("spot", 2, 300),
        ("od", 2, 300),
    ]
    spot, on_demand = answer["candidates"]
    assert float(on_demand["total"]) == pytest.approx(2 * float(on_demand["perHour"]))
    assert float(spot["perHour"]) < float(on_demand["perHour"])
    assert answer["excluded"] == [
        {
            "offering": "serve/a3-highgpu-8g",
            "cause": "workload-class",
            "where": "serve",
            "why": "takes no work of class training",
        },
        {
            "offering": "small/a3-highgpu-8g",
            "cause": "maximum",
            "where": "small",
            "why": "has 1 of at most 1 node",
        },
    ]


def test_work_that_may_not_be_interrupted_stays_off_spot(run):
    answer = json.loads(run(JOB + "interruptionTolerance: intolerant", "--format", "json").stdout)
    assert [c["pool"] for c in answer["candidates"]] == ["od"]


def test_a_job_that_fits_nowhere_ends_with_1_and_says_why(run):
    found = run(JOB.replace("h100-80gb", "t4"))
    assert found.exit_code == 1
    assert "no declared pool can run this job" in found.stdout
    assert "has h100-80gb, not t4" in found.stdout


def test_the_table_marks_what_is_assumed(run):
    found = run(JOB)
    assert found.exit_code == 0
    assert "spot/a3-highgpu-8g" in found.stdout


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (JOB + "worker: 2", "worker: is not a key of a job (did you mean 'workers'?)"),
        ("workers: 1", "id: is required and is missing"),
        (JOB.replace("workers: 2", "workers: 0"), "workers = '0'"),
        (JOB.replace("h100-80gb", "h100-90gb"), "h100-90gb"),
        ("id: [", "cannot be read as YAML"),
    ],
)
def test_a_job_that_makes_no_sense_is_refused_with_the_key(run, job, message):
    found = run(job)
    assert isinstance(found.exception, InvalidInput)
    assert message in str(found.exception)
