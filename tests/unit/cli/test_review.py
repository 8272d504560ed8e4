from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from jsonschema import Draft202012Validator
from support.focus import build_charge, render_charges
from support.review_inputs import TODAY, build_stack, build_usage_csv
from typer.testing import CliRunner

from tidegate.cli.main import app
from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review")
    (folder / "stack.json").write_text(json.dumps({"capacity": build_stack()}), encoding="utf-8")
    (folder / "usage.csv").write_text(build_usage_csv(), encoding="utf-8")
    return folder


def run(command: str, inputs: Path, *more: str) -> str:
    given = ["--stack", str(inputs / "stack.json"), "--usage", str(inputs / "usage.csv")]
    arguments = ["review", command, *given, "--as-of", TODAY.isoformat(), *more]
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def review(inputs: Path, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("commitments", inputs, "--format", "json", *more))
    return found


def test_finds_what_is_idle_ending_and_undeclared(inputs):
    found = review(inputs)["inventory"]["findings"]
    assert {each["id"]: each["cost"] for each in found} == {
        "ending:ends-soon": None,
        "idle:idle": "6184.55",
        "undeclared-use:lab": "29511.07",
    }


def test_the_past_is_cheapest_with_the_optimum_and_dearest_with_an_idle_commitment(inputs):
    past = review(inputs)["past"]
    costs = [float(past[key]["USD"]) for key in ("optimum", "onDemand", "declared")]
    assert costs == sorted(costs)
    assert float(past["gapToBound"]) < 0.005


def test_doing_nothing_stands_in_the_same_table(inputs):
    outlook = review(inputs, "--growth", "launch=0.5")["outlook"]
    names = [each["name"] for each in outlook["portfolios"]]
    assert names == ["do-nothing", "ladder", "all-at-once", "stable-floor"]
    for line in outlook["portfolios"]:
        assert list(line["scenarios"]) == [each["name"] for each in outlook["scenarios"]]
    assert {"growth-launch", "team-leaves", "new-generation", "workload-moved"} <= {
        each["name"] for each in outlook["scenarios"]
    }


def test_markdown_names_assumptions_lock_in_and_the_stable_floor(inputs):
    text = run("commitments", inputs)
    for part in (
        "# Commitment review of shop/prod, 2026-11-30",
        "_assumed_",
        "cannot be cancelled",
        "**above the stable floor**",
        "do-nothing",
        "`idle:idle`",
    ):
        assert part in text


def test_changing_one_row_of_use_changes_what_explain_shows(inputs, tmp_path):
    (tmp_path / "stack.json").write_text((inputs / "stack.json").read_text(), encoding="utf-8")
    changed = build_usage_csv(replaced={5: "9.5"})
    (tmp_path / "usage.csv").write_text(changed, encoding="utf-8")
    key = "pool:serve/g6.12xlarge"
    before = json.loads(run("explain", inputs, key, "--format", "json"))
    after = json.loads(run("explain", tmp_path, key, "--format", "json"))
    assert [row["nodes"] for row in after["rows"][:7]] == [
        *(row["nodes"] for row in before["rows"][:5]),
        "9.5",
        before["rows"][6]["nodes"],
    ]
    gained = float(after["values"]["node-hours used"]) - float(before["values"]["node-hours used"])
    assert gained == pytest.approx(9.5 - float(before["rows"][5]["nodes"]))
    assert after["values"]["cost on demand"] != before["values"]["cost on demand"]


def test_what_can_be_explained_is_listed_and_shown_for_people(inputs):
    listed = run("explain", inputs).split()
    assert {"past.optimum", "idle:idle", "outlook:ladder:low"} <= set(listed)
    text = run("explain", inputs, "utilization:idle")
    assert "formula: Σ used ÷ Σ bought" in text
    assert "2026-10-05T00:00Z asleep g6.12xlarge: 0 nodes" in text
    assert "rows more; all with --format json" in text


def test_the_json_keeps_to_its_schema(inputs, tmp_path):
    schema = json.loads(CliRunner().invoke(app, ["review", "schema"]).stdout)
    validator = Draft202012Validator(schema)
    Draft202012Validator.check_schema(schema)
    validator.validate(review(inputs, "--growth", "launch=0.5"))
    (tmp_path / "stack.json").write_text((inputs / "stack.json").read_text(), encoding="utf-8")
    short = "".join(f"{line}\n" for line in build_usage_csv(1).splitlines()[:100])
    (tmp_path / "usage.csv").write_text(short, encoding="utf-8")
    found = review(tmp_path)
    assert found["outlook"] is None
    validator.validate(found)
    assert not validator.is_valid({**found, "surprise": 1})


def test_an_unknown_id_is_refused_with_the_nearest(inputs):
    with pytest.raises(InvalidInput, match=r"did you mean 'past\.optimum'"):
        run("explain", inputs, "past.optimun")


def test_a_patch_on_averages_needs_to_be_accepted(inputs, tmp_path):
    stack = tmp_path / "Pulumi.prod.yaml"
    text = "config:\n  # kept\n  tidegate:environment: prod\n"
    stack.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match="--accept-assumed-prices"):
        run("commitments", inputs, "--patch", str(stack))
    assert stack.read_text(encoding="utf-8") == text
    run("commitments", inputs, "--patch", str(stack), "--accept-assumed-prices")
    patched = stack.read_text(encoding="utf-8")
    assert "# kept" in patched
    assert yaml.safe_load(patched)["config"]["tidegate:commitments"] == {
        "aws-compute-savings-plan-12m-0-2026-11": {
            "cloud": "aws",
            "region": "us-east-1",
            "kind": "savings-plan",
            "workloadClass": "platform",
            "purchase": {"termMonths": 12, "covers": ["compute"]},
        }
    }


def test_a_patch_on_quotes_needs_no_acceptance(inputs, tmp_path):
    quotes = tmp_path / "quotes.yaml"
    quotes.write_text(
        "quotes:\n- {cloud: aws, instrument: compute-savings-plan, termMonths: 12, "
        "discount: 0.4, asOf: 2026-11-20, origin: offer Q-1}\n",
        encoding="utf-8",
    )
    stack = tmp_path / "Pulumi.prod.yaml"
    stack.write_text("config:\n  tidegate:environment: prod\n", encoding="utf-8")
    found = review(inputs, "--quotes", str(quotes), "--patch", str(stack))
    (bought,) = found["past"]["portfolio"]
    assert (bought["offer"]["discount"], bought["offer"]["assumed"]) == ("0.4", False)
    assert len(yaml.safe_load(stack.read_text())["config"]["tidegate:commitments"]) == 1


def test_a_stack_that_cannot_be_read_is_said_and_the_review_goes_on(inputs, tmp_path):
    newer = tmp_path / "newer.json"
    newer.write_text(json.dumps({"version": "tidegate/capacity/v9"}), encoding="utf-8")
    empty = tmp_path / "empty.json"
    empty.write_text("{}", encoding="utf-8")
    found = review(inputs, "--stack", str(newer), "--stack", str(empty))
    said = {each["subject"]: each["message"] for each in found["remarks"]}
    assert "written by a newer Tidegate" in said[str(newer)]
    assert "holds no capacity manifest" in said[str(empty)]
    assert found["stacks"] == ["shop/prod"]


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--as-of", "tomorrow", "is no day"),
        ("--most-upfront", "2", "is no share"),
        ("--growth", "launch", "is no growth"),
        ("--growth", "launch=nan", "is no growth"),
    ],
)
def test_options_that_cannot_be_taken_are_refused(inputs, option, value, reason):
    with pytest.raises(InvalidInput, match=reason):
        run("commitments", inputs, option, value)


def test_the_page_is_printed_whole(inputs):
    page = run("commitments", inputs, "--format", "html")
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")


@pytest.fixture(scope="module")
def charges(inputs: Path) -> Path:
    path = inputs / "charges.csv"
    hours = [build_charge(hour) for hour in range(2 * 168)]
    path.write_text(render_charges(hours), encoding="utf-8")
    return path


def test_charges_alone_are_reviewed_and_said_to_be_all_there_is(inputs, charges):
    given = ["--stack", str(inputs / "stack.json"), "--charges", str(charges)]
    arguments = ["review", "commitments", *given, "--as-of", TODAY.isoformat(), "--format", "json"]
    found = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert found["usage"]["measuredHours"] == 336
    (pool,) = found["billing"]["pools"]
    assert (pool["billedNodeHours"], pool["usedNodeHours"]) == ("336", None)
    said = {each["subject"]: each["message"] for each in found["remarks"]}
    assert said["charges"] == "are all that tells of use"


def test_charges_beside_use_are_compared_with_it_and_several_files_are_one(inputs, charges):
    found = review(inputs, "--charges", str(charges), "--charges", str(charges))
    (pool,) = found["billing"]["pools"]
    assert (pool["billedNodeHours"], pool["billed"]) == ("672", "3092.2752")
    assert "used-not-as-billed:serve" in {each["id"] for each in found["inventory"]["findings"]}
    schema = json.loads(CliRunner().invoke(app, ["review", "schema"]).stdout)
    Draft202012Validator(schema).validate(found)
    text = run("explain", inputs, "billed:serve", "--charges", str(charges))
    assert "billed, USD: 1546.1376" in text


def test_parquet_and_csv_are_reviewed_alike(inputs, tmp_path):
    path = tmp_path / "usage.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT * REPLACE (hour::TIMESTAMPTZ AS hour) FROM "
            f"read_csv('{inputs / 'usage.csv'}')) TO '{path}' (FORMAT parquet)"
        )
    given = ["--stack", str(inputs / "stack.json"), "--usage", str(path)]
    arguments = ["review", "commitments", *given, "--as-of", TODAY.isoformat(), "--format", "json"]
    found = json.loads(CliRunner().invoke(app, arguments).stdout)
    expected = review(inputs)
    assert {**found, "remarks": []} == {**expected, "remarks": []}


def test_packed_charges_are_unpacked(inputs, charges, tmp_path):
    packed = tmp_path / "charges.csv.gz"
    packed.write_bytes(gzip.compress(charges.read_bytes()))
    plain = review(inputs, "--charges", str(charges))
    assert review(inputs, "--charges", str(packed))["billing"] == plain["billing"]
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(InvalidInput, match=r"charges\.csv\.gz: cannot be read"):
        review(inputs, "--charges", str(packed))


def test_charges_that_tell_of_no_use_say_why_where_they_are_all_there_is(tmp_path):
    path = tmp_path / "charges.csv"
    path.write_text(render_charges([build_charge(pool=""), build_charge(Tags="{")]), "utf-8")
    result = CliRunner().invoke(app, ["review", "commitments", "--charges", str(path)])
    assert isinstance(result.exception, InvalidInput)
    said = str(result.exception)
    assert "has no hourly charge of a node of a pool among 2 charges" in said
    assert "1 of 2 charges whose tags cannot be read" in said


def test_neither_use_nor_charges_are_refused():
    result = CliRunner().invoke(app, ["review", "commitments"])
    assert isinstance(result.exception, InvalidInput)
    assert "neither use nor charges are given" in str(result.exception)


@pytest.mark.parametrize(
    ("option", "name"), [("--usage", "gone.csv"), ("--usage", "gone.parquet"), ("--quotes", "gone")]
)
def test_files_that_are_not_there_are_refused(inputs, tmp_path, option, name):
    with pytest.raises(InvalidInput, match="cannot be read"):
        run("commitments", inputs, option, str(tmp_path / name))


def test_a_file_that_is_no_text_is_refused(inputs, tmp_path):
    path = tmp_path / "usage.csv"
    path.write_bytes(b"hour,pool,nodes\n\xff\xfe,a,1\n")
    with pytest.raises(InvalidInput, match="is not UTF-8 text"):
        run("commitments", inputs, "--usage", str(path))


def test_the_sample_is_a_usage_that_can_be_reviewed(inputs, tmp_path):
    stack = str(inputs / "stack.json")
    sample = ["review", "sample", "--stack", stack, "--as-of", TODAY.isoformat(), "--weeks", "4"]
    path = tmp_path / "usage.csv"
    path.write_text(CliRunner().invoke(app, sample).stdout, encoding="utf-8")
    found = review(inputs, "--usage", str(path))
    assert found["usage"]["simulated"]
    assert {each["kind"] for each in found["inventory"]["findings"]} >= {
        "idle",
        "ending",
        "undeclared-use",
    }
    serve = next(each for each in found["usage"]["pools"] if each["pool"] == "serve")
    assert 0.01 < float(serve["growthAWeek"]) < 0.03
    assert 0.59 < float(serve["weekendShare"]) < 0.61
