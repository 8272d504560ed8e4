"""Built as a wheel and installed elsewhere, the components, the pack and its rules work."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import yaml
from support.workspace import REPOSITORY, find_programs

from tidegate.engine.toolchain import tools_bin
from tidegate.localclouds.lifecycle import (
    local_environment,
    start_local_clouds,
    stop_local_clouds,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            target,
            REPOSITORY,
        ],
        check=True,
        capture_output=True,
    )
    (built,) = target.glob("tidegate-*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and this one's third-party packages, not the checkout."""
    home = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    site = home / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # A folder that a .pth file names is searched, but .pth files in it (the editable install's)
    # are not run.
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return home


def test_the_wheel_carries_code_rules_schema_and_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        "tidegate/py.typed",
        "tidegate_components/__init__.py",
        "tidegate_policies/PulumiPolicy.yaml",
        "tidegate_policies/__main__.py",
    }
    assert wanted - names == set()
    rules = {
        str(path.relative_to(REPOSITORY / "policies"))
        for path in (REPOSITORY / "policies" / "rules").rglob("*.rego")
    }
    assert rules
    assert {f"tidegate_policies/{rule}" for rule in rules} - names == set()
    assert not {name for name in names if name.startswith(("tests/", "stacks/", "benchmarks/"))}


def test_the_installed_package_is_not_the_checkout(elsewhere: Path) -> None:
    modules = ("tidegate", "tidegate_components")
    code = "\n".join(f"import {module}; print({module}.__file__)" for module in modules)
    shown = subprocess.run(
        [elsewhere / "bin" / "python", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    ).stdout
    assert str(REPOSITORY) not in shown
    assert shown.count(str(elsewhere)) == 2


PROGRAM = """
import pulumi
from tidegate_components import StorageTiers

labels = {
    "environment": "dev",
    "owner": "search",
    "business-unit": "retail",
    "platform-project": "ranker",
    "workload-class": "training",
    "cost-center": "cc-7",
}
tiers = StorageTiers(
    "scratch",
    {"cloud": "aws", "region": "us-east-1", "storage_class": "scratch", "labels": labels},
)
pulumi.export("capacity", tiers.capacity)
if pulumi.Config().get_bool("untagged"):
    import pulumi_aws

    pulumi_aws.s3.Bucket("untagged")
"""


def test_another_repository_uses_the_components_the_pack_and_its_rules(
    elsewhere: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    settings = {
        "name": "elsewhere",
        "runtime": {"name": "python", "options": {"virtualenv": str(elsewhere)}},
    }
    (project / "Pulumi.yaml").write_text(yaml.safe_dump(settings))
    (project / "__main__.py").write_text(PROGRAM)
    python = elsewhere / "bin" / "python"
    asked = "from tidegate.cli.main import run; run()"
    pack = subprocess.run(
        [python, "-c", asked, "policies", "path"],
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    ).stdout.strip()
    assert Path(pack).is_relative_to(elsewhere)
    toolchain = find_programs()
    endpoints = start_local_clouds(tmp_path / "local")
    environment = {
        **local_environment(endpoints, os.environ),
        "PATH": os.pathsep.join(
            [str(elsewhere / "bin"), str(tools_bin(REPOSITORY)), os.environ["PATH"]]
        ),
        "VIRTUAL_ENV": str(elsewhere),
        "PULUMI_HOME": str(tmp_path / "home"),
        "PULUMI_BACKEND_URL": tmp_path.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "elsewhere",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }

    def pulumi(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [toolchain.pulumi.path, "--non-interactive", *arguments],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
        )

    try:
        assert pulumi("stack", "init", "dev").returncode == 0
        up = pulumi("up", "--yes", "--policy-pack", pack)
        assert up.returncode == 0, up.stdout + up.stderr
        pulumi("config", "set", "untagged", "true")
        refused = pulumi("up", "--yes", "--policy-pack", pack)
    finally:
        stop_local_clouds(tmp_path / "local")
    assert refused.returncode != 0
    assert "TG-LBL-001" in refused.stdout + refused.stderr
    assert "untagged" in refused.stdout + refused.stderr
