from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tidegate.cli.manifest import app
from tidegate.manifest.build import build_manifest, dump_manifest

LABELS = {
    "environment": "dev",
    "owner": "ml",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "pipeline",
    "cost-center": "cc-1",
}


def write(path, expire=14):
    bucket = {
        "id": "scratch",
        "cloud": "aws",
        "region": "us-east-2",
        "storageClass": "scratch",
        "expireAfterDays": expire,
        "tiers": [{"afterDays": 20, "storageClass": "STANDARD_IA"}] if expire > 30 else [],
        "labels": LABELS,
    }
    manifest = build_manifest(
        [{"buckets": [bucket]}],
        project="tidegate",
        stack="dev",
        catalog_digest="sha256:0",
        hourly_ceiling={"amount": "20"},
    )
    path.write_text(json.dumps(dump_manifest(manifest)))
    return str(path)


@pytest.fixture
def run():
    return lambda *args, **options: CliRunner().invoke(app, list(args), **options)


def test_show_lists_what_is_declared(tmp_path, run):
    result = run("show", write(tmp_path / "m.json"))

    assert result.exit_code == 0
    assert "tidegate/dev: tidegate/capacity/v1, 20 USD an hour" in result.stdout
    assert "aws/us-east-2" in result.stdout
    assert "expireAfterDays=14" in result.stdout


def test_show_reads_stack_outputs_from_standard_input(tmp_path, run):
    outputs = {"capacity": json.loads((tmp_path / write(tmp_path / "m.json")).read_text())}

    result = run("show", "-", "--format", "json", input=json.dumps(outputs))

    assert result.exit_code == 0
    assert json.loads(result.stdout) == outputs["capacity"]


def test_validate_exits_0_on_a_sound_manifest(tmp_path, run):
    path = write(tmp_path / "m.json")

    result = run("validate", path)

    assert (result.exit_code, result.stdout) == (0, f"{path}: 0 errors, 0 warnings\n")


def test_validate_exits_1_on_errors_and_says_them_as_json(tmp_path, run):
    document = json.loads((tmp_path / write(tmp_path / "m.json")).read_text())
    document["buckets"][0]["tiers"] = [{"afterDays": 30, "storageClass": "STANDARD_IA"}]

    result = run("validate", "-", "--format", "json", input=json.dumps(document))

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "valid": False,
        "findings": [
            {
                "level": "error",
                "where": "bucket scratch",
                "property": "expireAfterDays",
                "value": "14",
                "reason": "is not after the last tier at 30 days",
                "expected": "more than 30",
            }
        ],
    }


def test_diff_exits_0_when_equal_and_1_when_not(tmp_path, run):
    old, new = write(tmp_path / "old.json"), write(tmp_path / "new.json", expire=7)

    same, different = run("diff", old, old), run("diff", old, new)

    assert (same.exit_code, same.stdout) == (0, "no changes\n")
    assert (different.exit_code, different.stdout) == (
        1,
        "changed buckets.scratch.expireAfterDays: 14 -> 7\n1 change\n",
    )


def test_a_file_that_is_no_manifest_is_refused_with_its_name(tmp_path, run):
    result = run("validate", str(tmp_path / "absent.json"))

    assert result.exception is not None
    assert "absent.json: cannot be read (No such file or directory)" in str(result.exception)


def test_schema_prints_the_published_schema(run):
    result = run("schema")

    assert json.loads(result.stdout)["title"] == "Tidegate capacity manifest"
