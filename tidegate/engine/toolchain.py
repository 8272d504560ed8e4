"""Finding `pulumi` and `opa`, and the environment in which the CLI runs with them.

In this order: a version on PATH that does, the checkout's `.tools/bin`, the official download,
a build with Go. Standard library only: `scripts/setup` runs this before anything is installed.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tidegate.engine.downloads import DownloadFailed, download_program
from tidegate.engine.go_builds import BuildFailed, build_program, go_environment
from tidegate.engine.programs import (
    OPA,
    PULUMI,
    Program,
    ProgramSpec,
    ask_version,
    explain_refusal,
    pinned_version,
    render_version,
)
from tidegate.vocabulary.problems import Unavailable

Report = Callable[[str], None]

LANGUAGE_HOST = "pulumi-language-python"
_OURS = "# Tidegate's language host"


class ToolMissing(Unavailable):
    """A program is nowhere to be had; says what was tried and what the user can do."""

    def __init__(self, spec: ProgramSpec, tried: list[str]) -> None:
        self.tried = tuple(tried)
        steps = "\n".join(f"  - {step}" for step in tried)
        wanted = render_version(spec.minimum)
        super().__init__(
            f"{spec.name} {wanted} or newer is needed. Tried:\n{steps}\n"
            f"What you can do: install {spec.name} and put it on PATH, or install Go "
            "(https://go.dev/dl) and run scripts/setup again, or copy the program to .tools/bin."
        )


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The programs of one checkout.

    Attributes:
        root: The checkout, or the working directory where there is none.
        pulumi: The Pulumi CLI.
        opa: The policy engine.
        python: The Python whose environment holds Tidegate and the Pulumi SDK.
    """

    root: Path
    pulumi: Program
    opa: Program
    python: Path

    def environment(
        self, home: Path, backend_url: str, base: Mapping[str, str], passphrase: str | None = None
    ) -> dict[str, str]:
        """Build the environment for a run of the CLI, isolated from the user's own Pulumi.

        Args:
            home: PULUMI_HOME: plugins, credentials, workspace settings.
            backend_url: Where state lies (`file:///…`, `s3://…`).
            base: What to start from, usually `os.environ` or a local cloud's environment.
            passphrase: Protects the stack's secrets; None keeps what `base` says.
        """
        environment = {
            **base,
            "PATH": os.pathsep.join([*self.folders(), base.get("PATH", os.defpath)]),
            "PULUMI_HOME": str(home),
            "PULUMI_BACKEND_URL": backend_url,
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "VIRTUAL_ENV": str(self.python.parent.parent),
            # The engine writes the whole state at each step and leaves as much garbage; collecting
            # it at every doubling, Go's default, takes a tenth of an `up` of 300 resources.
            "GOGC": base.get("GOGC", "400"),
        }
        if passphrase is not None:
            environment["PULUMI_CONFIG_PASSPHRASE"] = passphrase
            environment.pop("PULUMI_CONFIG_PASSPHRASE_FILE", None)
        # Keep compiled modules: without them a 3 s preview takes 7 s (measured 2026-11-30).
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return environment

    def folders(self) -> tuple[str, ...]:
        """What goes before the inherited PATH.

        The environment's Python first (an official language host runs `python3` from PATH), then
        the programs chosen here, then whatever else the checkout keeps.
        """
        programs = (self.python, self.pulumi.path, self.opa.path)
        first = [str(program.parent) for program in programs]
        return tuple(dict.fromkeys([*first, str(tools_bin(self.root))]))


def write_shell_environment(root: Path, toolchain: Toolchain) -> Path:
    """Write what a script of this checkout sources: the programs first, caches in `.tidegate`."""
    path = root / ".tools" / "environment"
    cache = root / ".tidegate" / "cache"
    settings = {
        "PATH": ":".join(toolchain.folders()) + ":$PATH",
        "VIRTUAL_ENV": str(toolchain.python.parent.parent),
        "TIDEGATE_CACHE": str(cache),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(cache / "hypothesis"),
        "PYTHONPYCACHEPREFIX": str(cache / "pycache"),
        "RUFF_CACHE_DIR": str(cache / "ruff"),
    }
    lines = [f'export {name}="{value}"' for name, value in settings.items()]
    # Compiled modules are kept: without them each start of three cloud SDKs costs seconds.
    lines.append("unset PYTHONDONTWRITEBYTECODE PYTHONHOME")
    staged = path.with_name(".environment.new")
    staged.write_text("# Written by scripts/setup.\n" + "\n".join(lines) + "\n", encoding="utf-8")
    staged.replace(path)
    return path


def tools_bin(root: Path) -> Path:
    """Where the checkout keeps programs of its own."""
    return root / ".tools" / "bin"


def find_toolchain(root: Path, environment: Mapping[str, str] | None = None) -> Toolchain:
    """Find the programs without fetching or building any.

    Raises:
        ToolMissing: One is neither on PATH nor in `.tools/bin`.
    """
    given = os.environ if environment is None else environment
    found = []
    for spec in (PULUMI, OPA):
        tried: list[str] = []
        program = find_program(spec, root, given, tried)
        if program is None:
            raise ToolMissing(spec, tried)
        found.append(program)
    pulumi, opa = found
    return Toolchain(root, pulumi, opa, environment_python(root))


def environment_python(root: Path) -> Path:
    """The checkout's `.venv` where there is one, else the Python that runs this."""
    python = root / ".venv" / "bin" / "python"
    return python if python.is_file() else Path(sys.executable)


def find_program(
    spec: ProgramSpec, root: Path, environment: Mapping[str, str], tried: list[str]
) -> Program | None:
    """Look on PATH, then in `.tools/bin`; what was refused, and why, is added to `tried`."""
    on_path = shutil.which(spec.name, path=environment.get("PATH", os.defpath))
    if on_path is None:
        tried.append(f"PATH: there is no {spec.name}")
    kept = tools_bin(root) / spec.name
    if not kept.is_file():
        tried.append(f"{kept}: is not there")
    candidates = [("PATH", Path(on_path))] if on_path else []
    candidates += [("tools", kept)] if kept.is_file() else []
    for origin, path in candidates:
        if origin == "PATH" and path.resolve() == kept.resolve():
            continue  # the same file, judged below
        version = ask_version(path, environment)
        refusal = explain_refusal(spec, path, version)
        if refusal is None and version is not None:
            return Program(spec.name, path, render_version(version), origin)
        tried.append(f"{origin}: {refusal}")
    return None


def obtain_program(
    spec: ProgramSpec, root: Path, environment: Mapping[str, str], report: Report
) -> Program:
    """Find a program, or download it, or build it.

    Raises:
        ToolMissing: Every way failed.
    """
    tried: list[str] = []
    found = find_program(spec, root, environment, tried)
    if found is not None:
        report(f"{spec.name} {found.version} at {found.path}")
        return found
    try:
        version = pinned_version(spec, root)
    except (OSError, ValueError) as error:
        tried.append(f"pinned version: {error}")
        raise ToolMissing(spec, tried) from error
    return _fetch_or_build(spec, version, root, environment, report, tried)


def _fetch_or_build(
    spec: ProgramSpec,
    version: str,
    root: Path,
    environment: Mapping[str, str],
    report: Report,
    tried: list[str],
) -> Program:
    bin_dir = tools_bin(root)
    try:
        report(f"downloading {spec.name} {version}")
        return Program(spec.name, download_program(spec, version, bin_dir), version, "download")
    except DownloadFailed as error:
        tried.append(f"download: {error}")
        report(f"no download ({error})")
    try:
        report(f"building {spec.name} {version} with Go (a minute or two)")
        go = go_environment(root / ".tools", environment)
        path = build_program(spec, version, root, bin_dir, go)
    except BuildFailed as error:
        tried.append(f"build: {error}")
        raise ToolMissing(spec, tried) from error
    report(f"built {path}")
    return Program(spec.name, path, version, "build")


def provide_language_host(root: Path, environment: Mapping[str, str]) -> Path:
    """Make sure the CLI finds a Python language host; return it.

    An official one on PATH (or downloaded) wins, and a wrapper of ours from an earlier run is
    then removed. Otherwise `.tools/bin` gets a wrapper, which works wherever the checkout lies.
    """
    wrapper = tools_bin(root) / LANGUAGE_HOST
    own = wrapper.parent.resolve()
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    elsewhere = [folder for folder in folders if Path(folder or ".").resolve() != own]
    official = shutil.which(LANGUAGE_HOST, path=os.pathsep.join(elsewhere))
    ours = wrapper.is_file() and _OURS.encode() in wrapper.read_bytes()[:200]
    if official is not None:
        if ours:
            wrapper.unlink()
        return Path(official)
    if wrapper.is_file() and not ours:
        return wrapper  # the official one, downloaded
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    staged = wrapper.with_name(f".{LANGUAGE_HOST}.new")
    script = _WRAPPER.format(ours=_OURS, python=environment_python(root))
    staged.write_text(script, encoding="utf-8")
    staged.chmod(0o755)
    staged.replace(wrapper)
    return wrapper


_WRAPPER = """\
#!/bin/sh
{ours}, for the Pulumi CLI: used where the official one is not on PATH.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
for python in "$here/../../.venv/bin/python" "{python}"; do
    [ -x "$python" ] && exec "$python" -m tidegate.engine.language_host "$@"
done
echo "pulumi-language-python: no Python environment with Tidegate; run scripts/setup" >&2
exit 1
"""
