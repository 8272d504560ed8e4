"""Built as a wheel and installed elsewhere, the components, the pack and its rules work."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


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
