"""A review reads the outputs of stacks from their backend, through the real CLI."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.review_inputs import TODAY, build_stack, build_usage_csv
from typer.testing import CliRunner

from tidegate.cli.local_pulumi import LOCAL_PASSPHRASE, backend_url, home_directory
from tidegate.cli.main import app
from tidegate.cli.review_inputs import Backend, read_stacks
from tidegate.engine.stack import StackRunner
from tidegate.vocabulary.problems import InvalidInput

PASSPHRASE = "correct horse"


@pytest.fixture
def project(tmp_path: Path, toolchain, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose backend holds one stack with a manifest and one without outputs."""
    folders = [str(path) for path in toolchain.folders()]
    monkeypatch.setenv("PATH", os.pathsep.join([*folders, os.environ["PATH"]]))
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", PASSPHRASE)
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PULUMI_BACKEND_URL", raising=False)
    directory = tmp_path / "shop"
    directory.mkdir()
    (directory / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    environment = {**os.environ}
    runner = StackRunner(
        directory, tmp_path / "home", (tmp_path / "state").as_uri(), environment, toolchain
    )
    for name, outputs in (("prod", {"capacity": build_stack()}), ("empty", {})):
        runner.ensure_stack(name)
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(build_state(name, outputs)), encoding="utf-8")
        runner.import_state(name, path)
    (tmp_path / "usage.csv").write_text(build_usage_csv(2), encoding="utf-8")
    return directory


def build_state(name: str, outputs: dict[str, Any]) -> dict[str, Any]:
    kind = "pulumi:pulumi:Stack"
    stack = {"urn": f"urn:pulumi:{name}::shop::{kind}::shop-{name}", "type": kind}
    resource = {**stack, "custom": False, "outputs": outputs}
    manifest = {"time": "2026-11-30T00:00:00Z", "magic": "", "version": ""}
    return {"version": 3, "deployment": {"manifest": manifest, "resources": [resource]}}


def review(project: Path, *names: str, backend: str = "") -> dict[str, Any]:
    stacks = [part for name in names for part in ("--pulumi-stack", name)]
    url = backend or (project.parent / "state").as_uri()
    result = CliRunner().invoke(
        app,
        [
            *("review", "commitments", "--usage", str(project.parent / "usage.csv"), *stacks),
            *("--project", str(project), "--backend", url, "--as-of", TODAY.isoformat()),
            *("--format", "json"),
        ],
    )
    if isinstance(result.exception, InvalidInput):
        raise result.exception
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_one_or_many_stacks_are_read_and_those_that_cannot_be_are_said(project):
    found = review(project, "prod", "empty", "gone")
    assert found["stacks"] == ["shop/prod"]
    said = {each["subject"]: each["message"] for each in found["remarks"]}
    assert "holds no capacity manifest" in said["stack empty"]
    assert "no stack named 'gone' found" in said["stack gone"]
    assert "idle:idle" in {each["id"] for each in found["inventory"]["findings"]}


def test_what_the_local_clouds_hold_is_read_with_and_without_their_address(project, toolchain):
    (project / "Pulumi.prod.yaml").write_text("config: {}\n", encoding="utf-8")
    state = project / ".tidegate"
    runner = StackRunner(
        project,
        home_directory(state),
        backend_url(state),
        {**os.environ},
        toolchain,
        passphrase=LOCAL_PASSPHRASE,
        local=True,
    )
    runner.ensure_stack("prod")
    path = project.parent / "local.json"
    path.write_text(json.dumps(build_state("prod", {"capacity": build_stack()})), encoding="utf-8")
    runner.import_state("prod", path)
    for url in ("", backend_url(state), (state / "pulumi" / "state").as_uri()):
        found = read_stacks([], ["prod"], Backend(project, url))
        assert [each.stack for each in found.manifests] == ["prod"]
        assert found.remarks == []


def test_without_a_backend_and_without_local_stacks_it_says_where_to_look(project):
    with pytest.raises(InvalidInput, match="has no local stacks"):
        read_stacks([], ["prod"], Backend(project))
