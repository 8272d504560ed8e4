from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from tidegate.cli.simulate import app
from tidegate.manifest.build import build_manifest, dump_manifest
from tidegate.vocabulary.problems import InvalidInput, Unavailable

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
    "taints": [],
    "scaler": "tidegate",
}
HEAD = "id,submitted,seconds,accelerator,accelerators\n"
ROWS = "a,2026-11-30T12:00:00Z,3600,h100-80gb,8\nb,2026-11-30T12:30:00+00:00,1800,h100-80gb,4\n"


@pytest.fixture
def run(tmp_path):
    pools = [POOL | {"id": "od"}, POOL | {"id": "spot", "capacityType": "spot"}]
    manifest = build_manifest(
        [{"pools": pools}], project="tidegate", stack="dev", catalog_digest="sha256:0"
    )
    declared = tmp_path / "manifest.json"
    declared.write_text(json.dumps(dump_manifest(manifest)))

    def invoke(text: str, *options: str, name: str = "jobs.csv"):
        file = tmp_path / name
        if text:
            file.write_text(text)
        return CliRunner().invoke(app, [str(file), "--manifest", str(declared), *options])

    return invoke


def refused(result) -> str:
    assert isinstance(result.exception, InvalidInput)
    return str(result.exception)


def test_a_history_is_replayed_with_its_bound(run):
    result = run(HEAD + ROWS, "--format", "json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["jobs"], found["acceleratorHours"]) == (0, 2, 10.0)
    assert found["ratio"] >= 1
    assert found["waitSeconds"]["max"] == 300
    assert set(found["nodeHours"]) <= {
        "od/a3-highgpu-8g",
        "spot/a3-highgpu-8g",
    }


def test_without_numpy_it_says_what_to_install(run, monkeypatch):
    monkeypatch.delitem(sys.modules, "tidegate.simulation.bounds", raising=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    result = run(HEAD + ROWS)
    assert isinstance(result.exception, Unavailable)
    assert str(result.exception) == "simulations need numpy: install tidegate[simulate]"


def test_equal_seeds_give_equal_results(run):
    options = ("--format", "json", "--spot-losses-per-hour", "2", "--seed", "7")
    assert run(HEAD + ROWS, *options).stdout == run(HEAD + ROWS, *options).stdout


def test_the_table_is_stable_where_nobody_watches(run):
    result = run(HEAD + ROWS)
    assert result.exit_code == 0
    assert "cost ÷ bound" in result.stdout
    assert result.stderr == ""


def test_parquet_is_read_alike(run, tmp_path):
    csv = run(HEAD + ROWS, "--format", "json").stdout
    query = f"SELECT * FROM read_csv('{tmp_path}/jobs.csv')"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{tmp_path}/jobs.parquet' (FORMAT parquet)")
    assert run("", "--format", "json", name="jobs.parquet").stdout == csv


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("c,yesterday,60,h100-80gb,8", "is no time"),
        ("c,2026-11-30T12:00:00,60,h100-80gb,8", "names no zone"),
        ("c,2026-11-30T12:00:00Z,-5,h100-80gb,8", "makes no sense"),
        ("c,2026-11-30T12:00:00Z,nan,h100-80gb,8", "is no number"),
        ("c,2026-11-30T12:00:00Z,60,h100-80gb,0", "makes no sense"),
        ("c,2026-11-30T12:00:00Z,60,,8", "is empty"),
        ("a,2026-11-30T12:00:00Z,60,h100-80gb,8", "is there twice"),
    ],
)
def test_a_row_that_makes_no_sense_is_named(run, row, said):
    found = refused(run(f"{HEAD}{ROWS}{row}\n"))
    assert "row 3" in found
    assert said in found


def test_a_missing_column_is_named(run):
    assert "has no column accelerator" in refused(run("id,submitted,seconds,accelerators\n"))


def test_an_empty_history_is_refused(run):
    assert "has no jobs" in refused(run(HEAD))


def test_a_file_that_is_not_there_is_refused(run):
    assert "cannot be read" in refused(run("", name="absent.csv"))


def test_an_accelerator_that_no_pool_has_is_refused(run):
    assert "has no pool with b200" in refused(run(HEAD + "a,2026-11-30T12:00:00Z,60,b200,8\n"))


def test_plots_are_written_as_a_page_and_a_picture(run, tmp_path):
    page = tmp_path / "out.html"
    found = json.loads(run(HEAD + ROWS, "--format", "json", "--report", str(page)).stdout)
    assert found["report"] == [str(page), str(tmp_path / "out.png")]
    assert "nodes by capacity type" in page.read_text(encoding="utf-8")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_where_nothing_can_be_written_is_refused(run, tmp_path):
    found = refused(run(HEAD + ROWS, "--report", str(tmp_path / "no" / "out.html")))
    assert "cannot be written" in found


def test_two_manifests_are_an_experiment(run, tmp_path):
    other = build_manifest(
        [{"pools": [POOL | {"id": "od"}]}], project="tidegate", stack="dev", catalog_digest="x"
    )
    path = tmp_path / "other.json"
    path.write_text(json.dumps(dump_manifest(other)))
    rows = "".join(f"j{day},2026-11-{day:02}T12:00:00Z,3600,h100-80gb,8\n" for day in range(1, 21))
    options = ("--compare", str(path), "--blocks", "5")
    found = json.loads(run(HEAD + rows, "--format", "json", *options).stdout)["comparison"]
    cost = found["costPerAcceleratorHour"]
    assert found["blocks"] == 5
    assert cost["low95"] <= cost["difference"] <= cost["high95"]
    # Without spot it costs more, clearly.
    assert (cost["clear"], cost["difference"] > 0) == (True, True)
    assert "paired spans" in run(HEAD + rows, *options).stdout


def test_polyaxons_runs_are_replayed_and_what_was_left_out_is_told(run):
    recorded = Path(__file__).resolve().parents[2] / "data" / "polyaxon" / "ops_get.json"
    text = json.dumps([json.loads(recorded.read_text(encoding="utf-8")), {"uuid": "waits"}])
    options = ("--accelerator", "h100-80gb")
    found = json.loads(run(text, *options, "--format", "json", name="runs.json").stdout)
    assert (found["jobs"], found["leftOut"]) == (1, {"never started": 1})
    assert found["ratio"] >= 1
    assert "1 never started" in run(text, *options, name="runs.json").stdout
