"""What pip is told, uv is told; what uv does not know, pip installs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tidegate.engine.python_environment import (
    compute_stamp,
    installed_set,
    is_apart_current,
    keep_bytecode_apart,
    prepare_apart,
    prepare_environment,
    read_pip_settings,
    translate_pip_settings,
)

# Lines as pip 26 prints them (`pip config list`, 2026-11-30).
LISTED = """\
:env:.cert='/etc/env.pem'
:env:.default-timeout='180'
:env:.disable-pip-version-check='1'
global.cert='/etc/ca.pem'
global.extra-index-url='\\nhttps://a.example.com\\nhttps://b.example.com'
global.index-url='https://pypi.example.com/simple'
global.proxy='http://proxy:3128'
install.index-url='https://install.example.com/simple'
download.index-url='https://never.example.com/simple'
"""


def test_hands_index_proxy_and_certificate_on_as_pip_ranks_them() -> None:
    assert translate_pip_settings(LISTED) == (
        {
            "UV_DEFAULT_INDEX": "https://install.example.com/simple",
            "UV_INDEX": "https://a.example.com https://b.example.com",
            "UV_INDEX_STRATEGY": "unsafe-best-match",
            "SSL_CERT_FILE": "/etc/env.pem",
            "ALL_PROXY": "http://proxy:3128",
        },
        [],
    )


def test_reads_what_this_pip_prints() -> None:
    environment = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "https://e.example.com"}
    found = read_pip_settings(Path(sys.executable), environment)
    assert found == ({"UV_DEFAULT_INDEX": "https://e.example.com"}, [])


def test_names_a_setting_that_uv_does_not_know() -> None:
    assert translate_pip_settings("install.platform='any'\n") == ({}, ["platform"])


def test_drops_folders_of_wheels_that_are_not_there(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    listed = f"global.find-links='{wheels} {tmp_path}/nowhere'\n"
    assert translate_pip_settings(listed) == ({}, [])
    wheels.mkdir()
    assert translate_pip_settings(listed) == ({"UV_FIND_LINKS": str(wheels)}, [])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    (root / "requirements").mkdir(parents=True)
    for name in ("run", "dev", "uv"):
        (root / "requirements" / f"{name}.txt").write_text(f"{name}==1\n")
    (root / "pyproject.toml").write_text("[project]\n")
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (root / ".venv" / "tidegate-setup").write_text(compute_stamp(root, "dev"))
    return root


def test_a_warm_setup_does_nothing(checkout: Path) -> None:
    said: list[str] = []
    prepare_environment(checkout, "dev", {"PATH": ""}, said.append)
    assert said == ["Python environment is up to date (dev)"]
    assert installed_set(checkout) == "dev"


@pytest.mark.parametrize(
    "changed", ["requirements/dev.txt", "requirements/uv.txt", "pyproject.toml"]
)
def test_a_change_of_what_it_is_made_from_is_noticed(checkout: Path, changed: str) -> None:
    with (checkout / changed).open("a") as file:
        file.write("# more\n")
    assert installed_set(checkout) is None


def test_an_environment_that_moved_is_made_anew(checkout: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.move(checkout, moved)
    assert installed_set(moved) is None


def test_an_environment_apart_is_made_once_and_again_when_its_pins_change(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    pinned = tmp_path / "requirements" / "apart.txt"
    pinned.write_text("# nothing\n")
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parent.parent)
    said: list[str] = []
    assert not is_apart_current(tmp_path, "apart")

    for _ in range(2):
        prepare_apart(tmp_path, "apart", dict(os.environ), said.append)

    assert (tmp_path / ".tools" / "apart" / "bin" / "python").exists()
    assert is_apart_current(tmp_path, "apart")
    assert said[-1] == "apart is up to date"
    pinned.write_text("# something else\n")
    assert not is_apart_current(tmp_path, "apart")


def test_bytecode_is_kept_in_the_checkouts_cache_and_not_beside_sources(tmp_path: Path) -> None:
    root = tmp_path / "a 'checkout'"
    venv.create(root / ".venv", with_pip=False)
    python = root / ".venv" / "bin" / "python"
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "said_once.py").write_text("SAID = 1\n")
    keep_bytecode_apart(root, python, os.environ)
    given = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [python, "-c", "import said_once"], cwd=tmp_path / "source", env=given, check=True
    )
    cache = root / ".tidegate" / "cache" / "pycache"
    assert [path.name.partition(".")[0] for path in cache.rglob("said_once*")] == ["said_once"]
    assert [path.name for path in (tmp_path / "source").iterdir()] == ["said_once.py"]
