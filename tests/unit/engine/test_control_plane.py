"""When the control plane is built, and when not: tried with a small script in Go's place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tidegate.engine.control_plane import (
    CONTROL_PLANE,
    is_control_plane_current,
    obtain_control_plane,
)
from tidegate.engine.go_builds import BuildFailed

ROOT = Path(__file__).resolve().parents[3]
NAMES = [spec.name for spec in CONTROL_PLANE]
GO = """\
#!/bin/sh
[ "$1" = env ] && exit 0
while [ "$1" != -o ]; do shift; done
echo "$3" >>"$LOG"
echo "program of $3" >"$2"
[ -z "$FAILS" ] || { echo "cannot find module"; exit 1; }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "tools" / "kubernetes", tmp_path / "tools" / "kubernetes")
    (tmp_path / ".tools").mkdir()
    return tmp_path


@pytest.fixture
def build(root: Path):
    """Build, and return the packages that Go was asked for."""
    go = root / "bin" / "go"
    go.parent.mkdir()
    go.write_text(GO)
    go.chmod(0o755)
    log = root / "log"

    def run(**environment: str) -> list[str]:
        log.write_text("")
        given = {"PATH": f"{go.parent}:/usr/bin:/bin", "LOG": str(log), "HOME": str(root)}
        obtain_control_plane(root, {**given, **environment}, lambda _: None)
        return log.read_text().split()

    return run


def test_the_programs_are_built_once(root, build):
    packages = [spec.package for spec in CONTROL_PLANE]
    assert not is_control_plane_current(root)

    assert build() == packages
    assert build() == []

    for name, package in zip(NAMES, packages, strict=True):
        assert (root / ".tools" / "bin" / name).read_text() == f"program of {package}\n"
    assert is_control_plane_current(root)


@pytest.mark.parametrize("changed", ["tools/kubernetes/go.sum", ".tools/bin/etcd"])
def test_they_are_built_again_when_a_pin_or_a_program_changed(root, build, changed):
    build()
    with (root / changed).open("a") as file:
        file.write("\n")

    assert not is_control_plane_current(root)
    assert len(build()) == 3


def test_a_build_that_fails_leaves_nothing_that_looks_built(root, build):
    with pytest.raises(BuildFailed, match=r"server/v3` ended with 1:\n  cannot find module"):
        build(FAILS="yes")

    assert not is_control_plane_current(root)
    assert list((root / ".tools" / "bin").iterdir()) == []


def test_without_go_it_says_what_is_missing(root):
    with pytest.raises(BuildFailed, match=r"no `go` on PATH \(https://go.dev/dl\)"):
        obtain_control_plane(root, {"PATH": "/nowhere"}, lambda _: None)
