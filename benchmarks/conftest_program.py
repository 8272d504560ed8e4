"""conftest, beside which checks are shown: the one on PATH, or one built of its pinned module."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from tidegate.engine.go_builds import BuildFailed, build_program, go_environment
from tidegate.engine.programs import ProgramSpec, pinned_version
from tidegate.engine.toolchain import tools_bin

CONFTEST = ProgramSpec(
    name="conftest",
    minimum=(0, 71, 0),
    below=(1, 0, 0),
    why="the benchmark was written against it",
    module="github.com/open-policy-agent/conftest",
    package="github.com/open-policy-agent/conftest",
    version_symbol="",
    hot=("std", "github.com/open-policy-agent/..."),
)


def find_conftest(root: Path) -> Path | None:
    """Return conftest, built first where there is none; None where it cannot be built."""
    found = shutil.which("conftest")
    built = tools_bin(root) / CONFTEST.name
    if found or built.is_file():
        return Path(found) if found else built
    version = pinned_version(CONFTEST, root)
    sys.stderr.write(f"bench: building conftest {version} with Go (some ten minutes, once)\n")
    environment = {**go_environment(root / ".tools", os.environ), "GOFLAGS": "-mod=readonly -p=1"}
    try:
        return build_program(CONFTEST, version, root, tools_bin(root), environment)
    except BuildFailed as failure:
        sys.stderr.write(f"bench: conftest is not shown: {failure}\n")
        return None
