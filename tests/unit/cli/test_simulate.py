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
    text = page.read_text(encoding="utf-8")
    assert "nodes by capacity type" in text
    # Above the plots, and outside of their scripts.
    shown = text[text.rindex("</head>") : text.rindex('id="vis"')]
    assert '<th scope="row">commitments used</th><td>none</td>' in shown
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


def test_two_manifests_with_other_pools_are_drawn_beside_each_other(run, tmp_path):
    other = build_manifest(
        [{"pools": [POOL | {"id": "other"}]}], project="tidegate", stack="dev", catalog_digest="x"
    )
    path = write(tmp_path / "other.json", json.dumps(dump_manifest(other)))
    page = tmp_path / "out.html"
    run(HEAD + ROWS, "--compare", path, "--blocks", "2", "--report", str(page))
    text = page.read_text(encoding="utf-8")
    shown = text[text.rindex("</head>") : text.rindex('id="vis"')]
    assert '<th scope="col">manifest</th><th scope="col">other</th>' in shown
    assert '<p class="compared">treatment less baseline, over 2 paired spans' in shown
    assert "other: nodes by capacity type" in text


DAILY = "".join(f"j{day},2026-11-{day:02}T12:00:00Z,3600,h100-80gb,8\n" for day in range(1, 21))


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_two_settings_of_one_manifest_are_an_experiment(run, tmp_path):
    warm = write(tmp_path / "patient.yaml", "keepAliveMinSeconds: 3000\n")
    options = ("--compare-settings", warm, "--blocks", "5")
    found = json.loads(run(HEAD + DAILY, "--format", "json", *options).stdout)
    cost = found["comparison"]["costPerAcceleratorHour"]
    # Keeping idle nodes for longer costs more, clearly, and is all idle time.
    assert (cost["clear"], cost["difference"] > 0) == (True, True)
    idle = found["treatment"]["waste"]["idle"]["acceleratorHours"]
    assert idle > found["waste"]["idle"]["acceleratorHours"]
    table = run(HEAD + DAILY, *options).stdout
    assert "defaults" in table
    assert "patient" in table


def test_settings_are_read_for_a_single_run_too(run, tmp_path):
    told = write(tmp_path / "patient.yaml", "keepAliveMinSeconds: 3000\n")
    plain = json.loads(run(HEAD + ROWS, "--format", "json").stdout)
    patient = json.loads(run(HEAD + ROWS, "--format", "json", "--settings", told).stdout)
    assert float(patient["cost"]) > float(plain["cost"])


def test_settings_that_differ_in_nothing_are_refused(run, tmp_path):
    same = write(tmp_path / "same.yaml", "keepAliveMinSeconds: 60\n")
    found = refused(run(HEAD + ROWS, "--compare-settings", same))
    assert found == (
        f"{same}: says the same as the baseline's settings; "
        "expected at least one setting that differs"
    )


def test_a_setting_that_is_none_is_refused_with_the_nearest(run, tmp_path):
    wrong = write(tmp_path / "wrong.yaml", "keepAliveMax: 60\n")
    found = refused(run(HEAD + ROWS, "--settings", wrong))
    assert "is no setting of scaling (did you mean 'keepAliveMaxSeconds'?)" in found
    absent = refused(run(HEAD + ROWS, "--settings", str(tmp_path / "absent.yaml")))
    assert "cannot be read" in absent


def test_what_is_not_known_is_no_zero(run):
    found = json.loads(run(HEAD + ROWS, "--format", "json").stdout)
    assert found["commitmentUse"] == {}
    assert found["waitTargets"] == {"jobs": 0, "met": 0, "share": None}
    assert found["deadlines"] == {"jobs": 0, "missed": 0}
    assert found["lostAcceleratorHoursPerInterruption"] is None
    assert "decisionMilliseconds" not in found
    told = run(HEAD + ROWS).stdout
    assert told.count("none stated") == 2
    assert "none was lost" in told


def test_waste_wait_targets_deadlines_and_overshoot_are_told(run):
    head = HEAD.strip() + ",wait_target_seconds,deadline\n"
    rows = (
        "a,2026-11-30T12:00:00Z,3600,h100-80gb,8,600,2026-11-30T14:00:00Z\n"
        "b,2026-11-30T12:00:00Z,3600,h100-80gb,8,60,2026-11-30T13:00:00Z\n"
        "c,2026-11-30T12:00:00Z,3600,h100-80gb,8,,\n"
    )
    found = json.loads(run(head + rows, "--format", "json").stdout)
    assert found["waitTargets"] == {"jobs": 2, "met": 1, "share": 0.5}
    assert found["deadlines"] == {"jobs": 2, "missed": 1}
    assert found["usefulAcceleratorHours"] == 24
    assert found["waste"]["lost"]["acceleratorHours"] == 0
    # No node boots within 60 s: two more are kept free than the jobs fill, one until the end.
    assert found["waste"]["setup"]["acceleratorHours"] == 3.33
    assert (found["overshoot"]["nodes"], found["overshoot"]["share"]) == (1, 0.2)
    assert found["actionsADay"] > 0


def test_commitments_are_told_by_their_use_and_not_billed_again(run, tmp_path):
    committed = [
        {"id": name, "cloud": "gcp", "kind": "capacity-reservation", "labels": {}, **size}
        for name, size in (("sized", {"units": 2}), ("unsized", {}))
    ]
    pools = [
        POOL | {"id": f"pool-{each['id']}", "capacityType": "reserved", "reservation": each["id"]}
        for each in committed
    ]
    told = build_manifest(
        [{"pools": pools, "commitments": committed}],
        project="tidegate",
        stack="dev",
        catalog_digest="sha256:0",
    )
    path = write(tmp_path / "committed.json", json.dumps(dump_manifest(told)))
    source = write(tmp_path / "jobs.csv", HEAD + ROWS)

    def replayed(*options: str):
        return CliRunner().invoke(app, [source, "--manifest", path, *options])

    found = json.loads(replayed("--format", "json").stdout)
    # One node or two of the two that are reserved, and all that runs is paid for by it.
    assert 0 < found["commitmentUse"]["sized"] <= 1
    assert found["commitmentUse"]["unsized"] is None
    assert found["cost"] == "0.00"
    shown = replayed().stdout
    assert "unsized unknown (it states no size, or had ended before)" in shown
    assert "none: the bound is 0" in shown


def test_a_deadline_before_its_submission_is_refused(run):
    head = HEAD.strip() + ",deadline\n"
    row = "a,2026-11-30T12:00:00Z,3600,h100-80gb,8,2026-11-30T11:00:00Z\n"
    assert "is not after submitted" in refused(run(head + row))


def test_how_long_decisions_took_is_told_where_it_is_asked_for(run):
    found = json.loads(run(HEAD + ROWS, "--format", "json", "--decision-time").stdout)
    times = found["decisionMilliseconds"]
    assert 0 < times["p50"] <= times["p99"] <= times["max"]


def test_a_window_cuts_what_runs_over_its_ends(run):
    options = ("--from", "2026-11-30T12:15", "--until", "2026-11-30T12:45Z")
    found = json.loads(run(HEAD + ROWS, "--format", "json", *options).stdout)
    assert found["window"] == {"from": "2026-11-30T12:15Z", "until": "2026-11-30T12:45Z"}
    assert (found["jobs"], found["clipped"], found["acceleratorHours"]) == (2, 2, 5.0)
    assert "2 jobs that run over an end" in run(HEAD + ROWS, *options).stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--from", "soon"), "--from = 'soon': is no time; expected a day or a time"),
        (("--from", "2026-12-01", "--until", "2026-11-30"), "is not after --from"),
        (("--from", "2027-01-01"), "has no jobs between --from and --until"),
        (("--cluster", "a"), "is an option of public traces"),
    ],
)
def test_a_window_or_cluster_that_makes_no_sense_is_refused(run, options, said):
    assert said in refused(run(HEAD + ROWS, *options))


PHILLY = (
    "timestamp,duration,num_gpus,gpu_time,cluster\n"
    "2017-10-01 00:01:00,3600.0,12,720.0,a\n"
    "2017-10-01 00:01:00,3600.0,12,720.0,a\n"
    "2017-11-09 23:00:00,7200.0,2,0.0,b\n"
)


def replay(run, tmp_path, source: str, *options: str):
    manifest = str(tmp_path / "manifest.json")
    return CliRunner().invoke(app, [source, "--manifest", manifest, *options])


def test_a_public_trace_is_replayed_with_what_was_assumed_and_clipped(run, tmp_path):
    source = f"philly:{write(tmp_path / 'philly.csv', PHILLY)}"
    options = ("--accelerator", "h100-80gb", "--format", "json")
    found = json.loads(replay(run, tmp_path, source, *options).stdout)
    assert found["jobs"] == 2
    assert found["leftOut"] == {"repeated rows": 1}
    assert found["clipped"] == 1
    assert found["assumed"] == ["each GPU is a h100-80gb", "jobs save themselves every 1800 s"]
    assert found["window"] == {"from": "2017-09-25T00:00Z", "until": "2017-11-10T00:00Z"}
    assert found["acceleratorHours"] == 14


def test_a_public_trace_needs_to_be_told_what_its_gpus_are(run, tmp_path):
    source = f"philly:{write(tmp_path / 'philly.csv', PHILLY)}"
    found = refused(replay(run, tmp_path, source))
    assert "--accelerator: is needed: the trace names no kind; expected one of h100-80gb" in found
    other = refused(replay(run, tmp_path, source, "--accelerator", "b200"))
    assert "is in no pool; expected one of h100-80gb" in other


def test_a_trace_that_nobody_publishes_or_without_a_path_is_refused(run, tmp_path):
    misspelt = refused(replay(run, tmp_path, "filly:there.csv"))
    assert misspelt == (
        "filly:there.csv: is no file, and filly no public trace (did you mean 'philly'?); "
        "expected a file that is there, or one of philly:PATH, helios:PATH"
    )
    assert "philly:: names no path; expected philly.csv of" in refused(
        replay(run, tmp_path, "philly:")
    )


def test_a_public_trace_that_is_not_there_is_told_with_where_it_is_published(run, tmp_path):
    options = ("--accelerator", "h100-80gb")
    found = refused(replay(run, tmp_path, f"helios:{tmp_path}", *options))
    assert "is not there; expected a folder with vc*_cluster_sequence.csv of github.com/" in found


def test_polyaxons_runs_are_replayed_and_what_was_left_out_is_told(run):
    recorded = Path(__file__).resolve().parents[2] / "data" / "polyaxon" / "ops_get.json"
    text = json.dumps([json.loads(recorded.read_text(encoding="utf-8")), {"uuid": "waits"}])
    options = ("--accelerator", "h100-80gb")
    found = json.loads(run(text, *options, "--format", "json", name="runs.json").stdout)
    assert (found["jobs"], found["leftOut"]) == (1, {"never started": 1})
    assert found["ratio"] >= 1
    assert "1 never started" in run(text, *options, name="runs.json").stdout
