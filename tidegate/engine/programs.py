"""The outside programs Tidegate stands on: which versions do, and how each is named and asked.

Standard library only: `scripts/setup` runs this before anything is installed.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

Version = tuple[int, int, int]

ANSWER_SECONDS = 30
"""How long a program may take to say its version."""


@dataclass(frozen=True, slots=True)
class ProgramSpec:
    """What is needed of one program.

    Attributes:
        name: The executable's name.
        minimum: The oldest version that does, and `below` the first that is not known to.
        below: See `minimum`.
        why: Why no older one does, for the message that refuses it.
        module: The Go module that holds it; its version in that go.mod is the pinned one.
        package: The Go package of the command.
        version_symbol: The linker symbol that carries the version, "" where the source has it.
        hot: The Go packages whose speed matters when it runs; the rest is built for quick building.
        folder: Where below `tools/` its go.mod lies; empty for one of its own name.
    """

    name: str
    minimum: Version
    below: Version
    why: str
    module: str
    package: str
    version_symbol: str
    hot: tuple[str, ...]
    folder: str = ""


PULUMI = ProgramSpec(
    name="pulumi",
    minimum=(3, 272, 0),
    below=(4, 0, 0),
    why="the pinned Python SDK (3.272) speaks to an engine at least as new as itself",
    module="github.com/pulumi/pulumi/pkg/v3",
    package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version_symbol="github.com/pulumi/pulumi/sdk/v3/go/common/version.Version",
    hot=("std", "github.com/pulumi/...", "google.golang.org/...", "golang.org/x/..."),
)

OPA = ProgramSpec(
    name="opa",
    minimum=(1, 20, 0),
    below=(2, 0, 0),
    why="the rules are Rego v1, checked and formatted by this series",
    module="github.com/open-policy-agent/opa",
    package="github.com/open-policy-agent/opa",
    version_symbol="",
    hot=("std", "github.com/open-policy-agent/..."),
)

SPECS = (PULUMI, OPA)


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was found to do.

    Attributes:
        name: The executable's name.
        path: Where it stands.
        version: What it says of itself, without a leading `v`.
        origin: "PATH", "tools" (kept from an earlier run), "download" or "build".
    """

    name: str
    path: Path
    version: str
    origin: str


def parse_version(text: str) -> Version | None:
    """Find the first `1.2.3` in what a program printed; None when there is none."""
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def render_version(version: Version) -> str:
    """Render a version as the programs spell it."""
    return ".".join(str(part) for part in version)


def ask_version(path: Path, environment: Mapping[str, str]) -> Version | None:
    """Ask a program its version; None when it does not run or does not say one."""
    quiet = {**environment, "PULUMI_SKIP_UPDATE_CHECK": "1"}
    try:
        answer = subprocess.run(  # noqa: S603 - a program found on PATH or in .tools
            [path, "version"],
            env=quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(answer.stdout) if answer.returncode == 0 else None


def explain_refusal(spec: ProgramSpec, path: Path, version: Version | None) -> str | None:
    """Say why a program does not do, or None when it does."""
    if version is None:
        return f"{path} does not run, or does not say its version"
    if spec.minimum <= version < spec.below:
        return None
    wanted = f"{render_version(spec.minimum)} or newer, below {render_version(spec.below)}"
    return f"{path} is {render_version(version)}; {wanted} is needed: {spec.why}"


def pinned_version(spec: ProgramSpec, root: Path) -> str:
    """Read the pinned version from the program's go.mod.

    Raises:
        FileNotFoundError: This is no checkout.
        ValueError: The file does not require the module.
    """
    path = root / "tools" / (spec.folder or spec.name) / "go.mod"
    pattern = rf"^\s*(?:require\s+)?{re.escape(spec.module)} v(\d+\.\d+\.\d+)\b"
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ValueError(f"{path} does not require {spec.module}")
    return match[1]
