"""Running a program without an engine: what it declares, with no CLI, credentials or network."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidegate.engine.config import Project
from tidegate.engine.interpreter import NoInterpreter, find_interpreter
from tidegate.engine.processes import ChildGroups
from tidegate.engine.program_config import read_program_config
from tidegate.vocabulary.problems import InvalidInput, refuse

_START = Path(__file__).resolve().parent / "mocked" / "start.py"
# What a program may see of its surroundings. Everything else may be, or lead to, a credential.
_KEPT = frozenset(
    {
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "VIRTUAL_ENV"),
        *("LD_LIBRARY_PATH", "PYTHONPATH"),
    }
)
_OFFLINE = {
    # Where the clouds' SDKs look for credentials by themselves there is nothing.
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/dev/null",
    "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    "PYTHONHASHSEED": "0",
}
_ADVICE = "a program that runs by itself, or `tidegate check --preview FILE`"


@dataclass(frozen=True, slots=True)
class Fixtures:
    """Answers to what a program asks of clouds and other stacks while it runs.

    Attributes:
        functions: Token of a provider's function → its result.
        stacks: Name of another stack → its outputs.
    """

    functions: Mapping[str, Any] = field(default_factory=dict)
    stacks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a program is run.

    Attributes:
        stack: The stack that it believes to be.
        fixtures: Answers from outside.
        config: Configuration over that of the stack's file.
        variables: Names of environment variables that it may see besides the usual ones.
        timeout_seconds: After which it is ended.
    """

    stack: str
    fixtures: Fixtures = field(default_factory=Fixtures)
    config: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    timeout_seconds: float = 300.0


def collect_program(
    project: Project, settings: Settings, environment: Mapping[str, str]
) -> dict[str, Any]:
    """Run a program under mocks and return what it registers, in the form of a stack export's.

    The program runs in its own interpreter and in a process of its own, whose output is dropped:
    it may print what is secret.

    Args:
        project: The program's project.
        settings: How to run it.
        environment: What this process was given; little of it is passed on.

    Raises:
        InvalidInput: With one message, when the program is of another language, fails, wants what
            is not there (configuration, a network, the answer of a cloud) or does not end.
    """
    program = _find_program(project)
    config = read_program_config(project, settings.stack, settings.config)
    options = _runtime(project)[1]
    try:
        interpreter = find_interpreter(project.directory, options, environment)
    except NoInterpreter as error:
        raise refuse(_where(project), "runtime", None, str(error)) from error
    with tempfile.TemporaryDirectory(prefix="tidegate-check-") as folder:
        kept = {
            key: value
            for key, value in environment.items()
            if key in _KEPT or key in settings.variables
        }
        asked = {
            "project": project.name,
            "stack": settings.stack,
            "organization": "organization",
            "root": str(project.directory.resolve()),
            "program": str(program),
            "config": config.values,
            "secretKeys": sorted(config.secret_keys),
            "fixtures": {
                "functions": dict(settings.fixtures.functions),
                "stacks": {name: dict(o) for name, o in settings.fixtures.stacks.items()},
            },
        }
        command = [interpreter.executable, str(_START)]
        child_environment = interpreter.activate({**kept, **_OFFLINE, "HOME": folder})
        result = _run(project, command, asked, Path(folder), child_environment, settings)
    if "failure" in result:
        raise _explain(project, settings, result["failure"])
    return result


def _run(
    project: Project,
    command: list[str],
    asked: Mapping[str, Any],
    folder: Path,
    environment: Mapping[str, str],
    settings: Settings,
) -> dict[str, Any]:
    request, target = folder / "request.json", folder / "result.json"
    request.write_text(json.dumps(asked), encoding="utf-8")
    program = Path(asked["program"])
    groups = ChildGroups()
    try:
        child = groups.start(
            [*command, str(request), str(target)],
            cwd=program if program.is_dir() else program.parent,
            environment=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise refuse(_where(project), "program", None, f"cannot be run: {error}") from error
    try:
        exit_code = child.wait(settings.timeout_seconds)
    except subprocess.TimeoutExpired as error:
        reason = f"did not end within {settings.timeout_seconds:.0f} seconds"
        raise refuse(_where(project), "program", None, reason, _ADVICE) from error
    finally:
        # Whatever it started ends with it, on Ctrl-C too.
        groups.forget(child)
        child.wait()
    if not target.is_file():
        reason = f"ended by itself with exit code {exit_code} before it was through"
        raise refuse(_where(project), "program", None, reason, _ADVICE)
    result: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return result


def _find_program(project: Project) -> Path:
    name, _ = _runtime(project)
    if name != "python":
        reason = "is no Python program; only those are run without the CLI"
        raise refuse(_where(project), "runtime", name or None, reason, _ADVICE)
    main = (project.directory / str(project.settings.get("main") or ".")).resolve()
    if main.is_dir() and not (main / "__main__.py").is_file():
        reason = "has no __main__.py"
        raise refuse(_where(project), "main", str(main), reason, "the folder of the program")
    if not main.exists():
        raise refuse(_where(project), "main", str(main), "is not there", "the program's folder")
    return main


def _runtime(project: Project) -> tuple[str, Mapping[str, Any]]:
    runtime = project.settings.get("runtime")
    if isinstance(runtime, dict):
        options = runtime.get("options")
        return str(runtime.get("name") or ""), options if isinstance(options, dict) else {}
    return str(runtime or ""), {}


def _where(project: Project) -> str:
    return f"program {project.name}"


def _explain(project: Project, settings: Settings, failure: Mapping[str, Any]) -> InvalidInput:
    """Return the one message about a program that did not come to its end."""
    kinds = set(str(failure["kind"]).split("|"))
    message = " ".join(str(failure["message"]).split())
    place = f" ({failure['place']})" if failure.get("place") else ""
    where = _where(project)
    if "sdk" in kinds:
        reason = f"the Pulumi SDK of its interpreter cannot be used: {message}"
        expected = "its dependencies installed, pulumi 3.200 or newer among them"
        return refuse(where, "runtime", None, reason, expected)
    if kinds & {"ConfigMissingError"}:
        reason = f"requires configuration that stack {settings.stack} does not set: {message}"
        expected = "a value in the stack's file, or --config KEY=VALUE"
        return refuse(where, "config", None, f"{reason}{place}", expected)
    if "NotKnownHere" in kinds:
        expected = "its answer in --answers FILE, or `tidegate check --preview FILE`"
        return refuse(where, "program", None, f"{message}{place}", expected)
    if failure.get("reached"):
        reason = f"wants to reach {failure['reached'][0]}, and is run without a network{place}"
        return refuse(where, "program", None, reason, "`tidegate check --preview FILE`")
    if "KeyError" in kinds:
        reason = f"failed with KeyError: {message}{place}"
        expected = f"{_ADVICE}; an environment variable is passed on by --pass-env NAME"
        return refuse(where, "program", None, reason, expected)
    kind = "/".join(sorted(kinds))
    return refuse(where, "program", None, f"failed with {kind}: {message}{place}", _ADVICE)
