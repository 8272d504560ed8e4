"""What the language host starts in a program's own interpreter.

Run by path (`python language_child.py [OPTIONS] MODE …`), for the program's virtual environment
need not have Tidegate in it: standard library, and the Pulumi SDK where a program runs.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import inspect
import json
import logging
import os
import runpy
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ALREADY_REPORTED = 32
"""Exit code that tells the host: the user has been shown the error, add nothing."""

_POLL_SECONDS = 0.5
_BATCH_SECONDS = 0.05
_THREADS_PER_OPERATION = 4  # a resource operation blocks up to this many SDK calls in threads


def follow_parent() -> None:
    """End this process group once the language host is gone, even if it was killed."""
    parent = os.getppid()

    def wait() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=wait, name="follow-parent", daemon=True).start()


def run_program(settings: dict[str, Any], program: str, arguments: list[str]) -> int:
    """Run a Pulumi program (a file or a directory with `__main__.py`); return the exit code."""
    try:
        import pulumi
        import pulumi.runtime
    except ImportError:
        traceback.print_exc()
        print(  # noqa: T201 - the engine shows a program's output to the user
            f"The Pulumi SDK cannot be imported by {sys.executable}: install the program's "
            "dependencies there, or name its environment in Pulumi.yaml "
            "(runtime.options.virtualenv).",
            file=sys.stderr,
        )
        return 1
    pulumi.runtime.set_all_config(
        pulumi.runtime.get_config_env(), pulumi.runtime.get_config_secret_keys_env()
    )
    pulumi.runtime.configure(pulumi.runtime.Settings(**settings))
    _quieten_the_sdk()
    waits = SimpleNamespace(**{**vars(asyncio), "wait": _wait_for_several})
    setattr(pulumi.runtime.stack, "asyncio", waits)  # noqa: B010 - a module is no namespace to assign
    frames = SimpleNamespace(**{**vars(traceback), "extract_stack": _list_program_frames})
    setattr(pulumi.runtime.resource, "traceback", frames)  # noqa: B010 - a module is no namespace to assign
    # An engine that stops early leaves futures behind on purpose; asyncio would report each.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    threads = ThreadPoolExecutor(max(int(settings["parallel"]), 1) * _THREADS_PER_OPERATION)
    loop.set_default_executor(threads)
    sys.argv = [program, *arguments]
    try:
        loop.run_until_complete(
            pulumi.runtime.run_in_stack(lambda: _run_path(program)),
        )
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
        return 1
    except Exception as error:  # noqa: BLE001 - whatever a user's program raises is reported
        pulumi.log.error(_describe_failure(error, program))
        return ALREADY_REPORTED
    finally:
        threads.shutdown(wait=True)
        loop.close()
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _run_path(program: str) -> None:
    path = Path(program)
    if path.is_dir() and not (path / "__main__.py").is_file():
        raise FileNotFoundError(f"no __main__.py in the program's directory {path}")
    if path.is_file():
        sys.path.insert(0, str(path.parent))
    runpy.run_path(program, run_name="__main__")


async def _wait_for_several(tasks: Iterable[asyncio.Task[Any]], **options: Any) -> Any:
    """Wait as `asyncio.wait` does, and then a moment for others to be done as well.

    After each task that is done the SDK waits anew for all that are not: with a thousand resources
    that takes three times as long as everything else that the program does.
    """
    _, pending = await asyncio.wait(tasks, **options)
    if pending:
        await asyncio.sleep(_BATCH_SECONDS)
    return {task for task in tasks if task.done()}, {task for task in tasks if not task.done()}


def _quieten_the_sdk() -> None:
    """Do not send the engine what the SDK says of its own steps: several calls a resource.

    Each waits for the engine, a sixth of a program's time, and nobody reads them unless looking
    for a fault of the SDK: PULUMI_PYTHON_DEBUG sends them. A program's own messages are sent.
    """
    if os.environ.get("PULUMI_PYTHON_DEBUG"):
        return
    from pulumi import log

    quiet = SimpleNamespace(**{**vars(log), "debug": lambda *_arguments, **_options: None})
    for name, module in list(sys.modules.items()):
        if name.startswith("pulumi.runtime.") and getattr(module, "log", None) is log:
            setattr(module, "log", quiet)  # noqa: B010 - a module is no namespace to assign


def _list_program_frames() -> list[traceback.FrameSummary]:
    """List the frames of the program itself, the oldest first.

    The SDK sends with each resource who declared it. Below the program's own frames are the same
    dozen every time, of this file, asyncio and the SDK: together a third of a state, which the
    engine writes whole at each step.
    """
    found: list[traceback.FrameSummary] = []
    frame = inspect.currentframe()
    frame = frame.f_back if frame else None  # the SDK, which asks
    while frame is not None and frame.f_code.co_filename != __file__:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen "):
            found.append(
                traceback.FrameSummary(
                    code.co_filename, frame.f_lineno, code.co_name, lookup_line=False
                )
            )
        frame = frame.f_back
    return found[::-1]


def _describe_failure(error: Exception, program: str) -> str:
    """Render a traceback from the user's first frame on; the host's own frames say nothing."""
    where = Path(program).resolve()
    root = where if where.is_dir() else where.parent
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith("<") and Path(name).resolve().is_relative_to(root):
            break
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace or error.__traceback__)
    return "Program failed with an unhandled exception:\n" + "".join(lines)


def run_plugin(kind: str, directory: str, arguments: list[str]) -> None:
    """Run a plugin directory: a policy pack through the SDK, anything else as a program."""
    if kind == "analyzer":
        sys.argv = ["pulumi.policy", *arguments, directory]
        runpy.run_module("pulumi.policy", run_name="__main__", alter_sys=True)
        return
    sys.argv = [directory, *arguments]
    runpy.run_path(directory, run_name="__main__")


def list_packages() -> list[dict[str, Any]]:
    """List the Pulumi packages installed here, each as its `pulumi-plugin.json` describes it."""
    found: dict[str, dict[str, Any]] = {}
    for entry in dict.fromkeys(sys.path):
        folder = Path(entry or ".")
        for path in sorted(folder.glob("*/pulumi-plugin.json")) if folder.is_dir() else ():
            description = json.loads(path.read_text(encoding="utf-8"))
            if description.get("resource"):
                description.setdefault("name", path.parent.name.removeprefix("pulumi_"))
                found.setdefault(description["name"], description)
    return [found[name] for name in sorted(found)]


def list_distributions(*, transitive: bool) -> list[dict[str, str]]:
    """List installed distributions; without `transitive` only those no other one requires."""
    installed: dict[str, str] = {}
    required: set[str] = set()
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        if not name:
            continue  # a half-removed package: pip ignores it too
        installed[_normalize(name)] = distribution.version
        required.update(
            _normalize(line) for line in distribution.requires or () if "extra ==" not in line
        )
    names = installed if transitive else installed.keys() - required
    return [{"name": name, "version": installed[name]} for name in sorted(names)]


def _normalize(requirement: str) -> str:
    name = requirement.strip()
    for position, letter in enumerate(name):
        if not (letter.isalnum() or letter in "-_."):
            name = name[:position]
            break
    return name.lower().replace("_", "-").replace(".", "-")


def main() -> int:
    """Run one mode, as the language host asks for it."""
    if Path(sys.path[0]).resolve() == Path(__file__).resolve().parent:
        del sys.path[0]  # this file's neighbours are no top-level modules of the program
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="{}", help="JSON of pulumi.runtime.Settings")
    parser.add_argument("--kind", default="resource")
    parser.add_argument("--transitive", action="store_true")
    # Options come first: all that follows the mode belongs to the program.
    parser.add_argument("mode", choices=["program", "plugin", "packages", "distributions"])
    parser.add_argument("path", nargs="?", default="")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    match options.mode:
        case "packages":
            json.dump(list_packages(), sys.stdout)
        case "distributions":
            json.dump(list_distributions(transitive=options.transitive), sys.stdout)
        case "plugin":
            follow_parent()
            run_plugin(options.kind, options.path, options.arguments)
        case "program":
            follow_parent()
            return run_program(json.loads(options.settings), options.path, options.arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
