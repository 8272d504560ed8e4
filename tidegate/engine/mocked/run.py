"""Running one program under the collecting monitor and writing down what it registered."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import runpy
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

FORMAT = "tidegate/collected/v1"
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a public constant of the protocol
_REDACTED = "[secret]"
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def main(arguments: list[str]) -> int:
    """Run the program that a request names; write the result or the reason beside it."""
    # A program keeps nearly all that it makes until its end: looking for garbage costs a third.
    gc.set_threshold(200_000, 50, 100)
    request, target = arguments
    asked = json.loads(Path(request).read_text(encoding="utf-8"))
    try:
        result = run(asked)
    except Exception as error:  # noqa: BLE001 - an SDK of another age, whatever it lacks
        result = {"failure": {"kind": "sdk", "message": f"{type(error).__name__}: {error}"}}
    Path(target).write_text(json.dumps(result), encoding="utf-8")
    sys.stdout.flush()
    # Threads of the program may go on for ever; what it declared is written.
    os._exit(0)


def run(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what a program registers, or `failure`: what kept it from its end."""
    try:
        import pulumi.runtime  # noqa: F401 - only whether it can be imported
    except ImportError as error:
        return {"failure": {"kind": "sdk", "message": str(error)}}
    from .monitor import STACK, CollectingMonitor
    from .places import StackPlace
    from .seclusion import forbid_network, reached

    place = StackPlace(asked["root"], asked["program"])
    monitor = CollectingMonitor(asked["project"], asked["stack"], asked["root"], asked["fixtures"])
    forbid_network()
    failure = _run_program(asked, monitor, place)
    if failure is not None:
        secrets = set(_secret_texts([state["inputs"] for state in monitor.states]))
        hidden = {key: _hide(text, secrets) for key, text in failure.items()}
        return {"failure": {**hidden, "reached": list(reached())}}
    for state in monitor.states:
        if state["type"] == STACK:
            state["stackTrace"] = place.frames()
    states = sorted(monitor.states, key=lambda state: (state["urn"], state.get("id", "")))
    return {
        "format": FORMAT,
        "config": {
            key: _REDACTED if key in asked["secretKeys"] else value
            for key, value in asked["config"].items()
        },
        "resources": [_redact_state(state) for state in states],
    }


def _run_program(asked: dict[str, Any], monitor: Any, place: Any) -> dict[str, str] | None:
    import pulumi
    from pulumi.runtime import mocks

    from . import answers, unseen
    from .seclusion import reached

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(16))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    pulumi.runtime.configure(_settings(asked, monitor, mocks))
    pulumi.runtime.set_all_config(asked["config"], asked["secretKeys"])
    answers.answer_invokes(asked["fixtures"]["functions"])
    answers.hide_encrypted(frozenset(asked["secretKeys"]))
    answers.refuse_unknown_details()
    answers.serialize_unseen()
    answers.doubt_odd_outputs()
    place.follow_exports()
    sys.argv = [asked["program"]]
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _run_path(asked["program"])))
    except BaseException as error:  # noqa: BLE001 - whatever a program raises, exits included
        return _explain(unseen.refusals[0] if unseen.refusals else error, asked["root"])
    if unseen.refusals:
        return _explain(unseen.refusals[0], asked["root"])
    if reached():
        return {"kind": "NeedsNetwork", "message": "it went on without", "place": ""}
    return None


def _settings(asked: dict[str, Any], monitor: Any, mocks: Any) -> Any:
    from google.protobuf import empty_pb2

    # Older SDKs ask for each feature by itself, newer ones for all at once.
    told = getattr(monitor, "GetDeploymentInfo", None)
    features = told(empty_pb2.Empty()).supportedFeatures if told else ()
    return mocks.MockSettings(
        monitor=monitor,
        monitor_features=set(features),
        feature_support={},
        engine=mocks.MockEngine(logging.getLogger("pulumi.program")),
        project=asked["project"],
        stack=asked["stack"],
        dry_run=True,
        organization=asked["organization"],
        root_directory=asked["root"],
        callbacks=None,
    )


def _run_path(program: str) -> None:
    path = Path(program)
    if path.is_file():
        sys.path.insert(0, str(path.parent))
    runpy.run_path(program, run_name="__main__")


def _explain(error: BaseException, root: str) -> dict[str, str]:
    """Return kind, message and the program's last line; the SDK's own frames say nothing."""
    place = ""
    cause: BaseException | None = error
    seen = error
    while cause is not None:
        for frame in traceback.extract_tb(cause.__traceback__):
            if frame.filename.startswith(f"{root}/") and "site-packages" not in frame.filename:
                place = f"{frame.filename.removeprefix(root).lstrip('/')}:{frame.lineno}"
        seen, cause = cause, cause.__cause__
    kinds = {type(each).__name__ for each in (error, seen)}
    return {"kind": "|".join(sorted(kinds)), "message": str(error), "place": place}


def _redact_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state without plaintext: of what is marked, and of copies of it beside."""
    secrets = set(_secret_texts([state["inputs"], state.get("outputs")]))
    inputs = {
        key: _redact(value, secrets)
        for key, value in state["inputs"].items()
        if not key.startswith("__")  # bookkeeping: the code of a dynamic provider, for one
    }
    outputs = {"outputs": _redact(state["outputs"], secrets)} if "outputs" in state else {}
    return {**state, "inputs": inputs, **outputs}


def _redact(value: Any, secrets: set[str]) -> Any:
    if isinstance(value, str):
        return _REDACTED if value in secrets else _whole(value)
    if isinstance(value, dict):
        if value.get(_SIGNATURE) == _SECRET:
            return {_SIGNATURE: _SECRET}
        return {key: _redact(item, secrets) for key, item in value.items()}
    return [_redact(item, secrets) for item in value] if isinstance(value, list) else value


def _whole(text: str) -> str:
    """Return a text, or that it is not known where the program wrote an unknown one into it.

    JSON is left as it is: whoever reads it finds what is unknown in it, and the rest.
    """
    return _UNKNOWN if _UNKNOWN in text and not text.lstrip().startswith(("{", "[")) else text


def _secret_texts(value: Any, *, inside: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if inside and len(value) > 2:
            yield value
    elif isinstance(value, dict):
        inside = inside or value.get(_SIGNATURE) == _SECRET
        for key, item in value.items():
            if key != _SIGNATURE:
                yield from _secret_texts(item, inside=inside)
    elif isinstance(value, list):
        for item in value:
            yield from _secret_texts(item, inside=inside)


def _hide(text: str, secrets: set[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, _REDACTED)
    return text
