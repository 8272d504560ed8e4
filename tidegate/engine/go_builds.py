"""Building programs from their pinned Go modules, where no download can be had.

Standard library only: `scripts/setup` runs this before anything is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tidegate.engine.programs import ProgramSpec

_LAST_LINES = 15
_FIXED = {"CGO_ENABLED": "0", "GOWORK": "off"}
_DISCARDED = "go.discarded"


class BuildFailed(RuntimeError):
    """A program could not be built; the message carries Go's last lines."""


def build_program(
    spec: ProgramSpec, version: str, root: Path, bin_dir: Path, environment: Mapping[str, str]
) -> Path:
    """Build one program from its go.mod below `tools/` into `bin_dir`; return its path.

    Raises:
        BuildFailed: There is no Go, or it fails.
    """
    go = shutil.which("go", path=environment.get("PATH"))
    if go is None:
        raise BuildFailed("there is no `go` on PATH (https://go.dev/dl)")
    module = root / "tools" / (spec.folder or spec.name)
    bin_dir.mkdir(parents=True, exist_ok=True)
    staged = bin_dir / f".{spec.name}.new"
    done = subprocess.run(  # noqa: S603 - the Go found on PATH, fixed arguments
        [go, "build", *build_flags(spec, version), "-o", str(staged), spec.package],
        cwd=module,
        env={"GOFLAGS": "-mod=readonly", "GOGC": "200", **environment, **_FIXED},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        staged.unlink(missing_ok=True)
        last = "\n  ".join(done.stdout.strip().splitlines()[-_LAST_LINES:])
        raise BuildFailed(f"`go build {spec.package}` ended with {done.returncode}:\n  {last}")
    staged.replace(bin_dir / spec.name)
    return bin_dir / spec.name


def build_flags(spec: ProgramSpec, version: str) -> list[str]:
    """Build the flags that make a first build bearable on two cores.

    No debug information, and inlining only where speed matters when the program runs: the cloud
    SDKs and parsers in between take a third less time to compile (measured 2026-11-30, Go 1.26).
    """
    link = "-s -w"
    if spec.version_symbol:
        link += f" -X {spec.version_symbol}=v{version}"
    hot = [f"-gcflags={pattern}=-dwarf=false" for pattern in spec.hot]
    return ["-trimpath", f"-ldflags={link}", "-gcflags=all=-dwarf=false -l", *hot]


def go_environment(tools_dir: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with Go's folders: the user's where they exist, else ones under `tools_dir`.

    Nothing is created in a home directory that has no Go in it.
    """
    private = private_go_cache(tools_dir)
    environment = dict(base)
    settings = base.get("XDG_CONFIG_HOME") or str(Path(base.get("HOME", "/")) / ".config")
    if not (Path(settings) / "go").is_dir():
        environment["XDG_CONFIG_HOME"] = str(private / "config")  # Go counts its own use there
    go = shutil.which("go", path=base.get("PATH"))
    if go is None:
        return environment
    names = ("GOMODCACHE", "GOCACHE")
    answer = subprocess.run(  # noqa: S603 - the Go found on PATH, fixed arguments
        [go, "env", *names],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    # Without a home directory Go answers nothing at all.
    folders = answer.stdout.splitlines() if answer.returncode == 0 else ["", ""]
    for name, folder in zip(names, folders, strict=False):
        if name not in base and not (folder and Path(folder).is_dir()):
            environment[name] = str(private / name.lower())
            # Writable, so that removing the cache again needs nothing but `rm`.
            environment["GOFLAGS"] = "-mod=readonly -modcacherw"
    return environment


def private_go_cache(tools_dir: Path) -> Path:
    """Where Go's caches go when the user has none; removed once the programs are built."""
    return tools_dir / "go"


def remove_private_go_cache(tools_dir: Path) -> None:
    """Remove the private caches: gigabytes in 100,000 files, so another process does it."""
    cache = private_go_cache(tools_dir)
    if cache.is_dir():
        (tools_dir / _DISCARDED).mkdir(exist_ok=True)
        cache.rename(tools_dir / _DISCARDED / str(os.getpid()))
    if (tools_dir / _DISCARDED).is_dir():
        subprocess.run(  # noqa: S603 - fixed arguments; the shell leaves `rm` behind and ends
            ["/bin/sh", "-c", 'exec nice rm -rf "$1" &', "sh", str(tools_dir / _DISCARDED)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
