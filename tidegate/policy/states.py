"""Resource states, as exports, previews, event logs and collected programs all write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tidegate.policy.graph import (
    STACK_TYPE,
    Provider,
    Resource,
    ResourceGraph,
    StackFacts,
    find_manifest,
    normalize_type,
)
from tidegate.policy.values import decode_properties, find_secret_texts
from tidegate.vocabulary.problems import InvalidInput, refuse
from tidegate.vocabulary.verdicts import SourceLine

_PROVIDER_PREFIX = "pulumi:providers:"
_IDENTIFIERS = ("id", "name", "arn")
# What the engine writes for a place in the program: the path is relative to the project.
_POSITION = re.compile(r"project:///(?P<path>[^#]+)#(?P<line>\d+)(?:,\d+)?")
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
# Inside a project, but not written by its authors.
_FOREIGN_FOLDERS = frozenset({"..", "site-packages", "dist-packages", "node_modules"})


def build_graph(
    where: str,
    states: Sequence[Mapping[str, Any]],
    *,
    environment: str = "",
    config: Mapping[str, Any] | None = None,
    complete: bool = True,
) -> ResourceGraph:
    """Return the graph of resource states.

    What the stack only reads (`external`) is somebody else's: it is context, and not judged.

    Args:
        where: What to call the document in a message.
        states: Of what will exist or exists; none that is about to be deleted.
        environment: The stack's environment; without one the configuration says it, or the
            stack's name stands for it.
        config: The stack's configuration, by `namespace:key`; default providers are read from it
            where they are no states themselves.
        complete: Whether these are all resources of the stack.

    Raises:
        InvalidInput: When a state is none, or a property holds what is no JSON.
    """
    check_states(where, states)
    settings = config or {}
    providers = {
        state["urn"]: Provider(state["urn"], decode_properties(state.get("inputs") or {}))
        for state in states
        if state["type"].startswith(_PROVIDER_PREFIX)
    }
    stack = _read_stack(states, environment, settings)
    made = tuple(_read_resource(state, providers, settings) for state in states if _is_own(state))
    read = tuple(
        _read_resource(state, providers, settings) for state in states if not _is_own(state)
    )
    return ResourceGraph(stack, made, complete, context=read, manifest=_read_manifest(states))


def _read_manifest(states: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the manifest that the stack exports, where its outputs show one."""
    outputs = (state.get("outputs") for state in states if state["type"] == STACK_TYPE)
    shown = (decode_properties(each) for each in outputs if isinstance(each, Mapping))
    return next((found for each in shown if (found := find_manifest(each))), None)


def check_states(where: str, states: Iterable[object]) -> None:
    """Raise InvalidInput unless each is a resource's state."""
    if not all(_is_state(state) for state in states):
        expected = "a list of resources, each with urn and type"
        raise refuse(where, "resources", None, "is no list of resources", expected)


def parse_source(state: Mapping[str, Any]) -> SourceLine | None:
    """Return the innermost line of the project that declares a resource; None where unknown.

    A component's child is made by the component and an explicit provider by the SDK, which may
    lie outside the project: the stack trace leads back to the first frame inside it.
    """
    frames = state.get("stackTrace")
    positions = [state.get("sourcePosition")]
    if isinstance(frames, list):
        positions += [frame.get("sourcePosition") for frame in frames if isinstance(frame, Mapping)]
    for position in positions:
        match = _POSITION.fullmatch(position) if isinstance(position, str) else None
        if match is not None and _is_inside(path := _decode_path(match["path"])):
            return SourceLine(path, int(match["line"]))
    return None


def _decode_path(path: str) -> str:
    """Return a path of a URI as it is in the file system ("infra%20gpu" → "infra gpu")."""
    return _ENCODED.sub(
        lambda found: bytes.fromhex(found[0].replace("%", "")).decode(errors="replace"), path
    )


def _is_inside(path: str) -> bool:
    folders = path.split("/")[:-1]
    return not path.startswith("/") and not _FOREIGN_FOLDERS.intersection(folders)


def _is_state(state: object) -> bool:
    if not isinstance(state, Mapping):
        return False
    urn, token = state.get("urn"), state.get("type")
    if not isinstance(urn, str) or not isinstance(token, str):
        return False
    return all(
        isinstance(state.get(key) or {}, Mapping) for key in ("inputs", "propertyDependencies")
    )


def _is_own(state: Mapping[str, Any]) -> bool:
    return not state.get("external")


def _read_resource(
    state: Mapping[str, Any], providers: Mapping[str, Provider], config: Mapping[str, Any]
) -> Resource:
    return Resource(
        urn=state["urn"],
        type=normalize_type(state["type"]),
        name=state["urn"].rsplit("::", 1)[-1],
        properties=_decode_inputs(state),
        identifiers=_read_identifiers(state),
        provider=_find_provider(state, providers, config),
        parent=str(state.get("parent") or ""),
        protect=bool(state.get("protect")),
        ignore_changes=tuple(state.get("ignoreChanges") or ()),
        dependencies={
            name: tuple(urns or ())
            for name, urns in (state.get("propertyDependencies") or {}).items()
        },
        operation=str(state.get("operation") or ""),
        source=parse_source(state),
        custom=bool(state.get("custom")),
    )


def _read_identifiers(state: Mapping[str, Any]) -> dict[str, str]:
    outputs = state.get("outputs")
    known = {"id": state.get("id"), **(outputs if isinstance(outputs, Mapping) else {})}
    found = {
        key: value for key in _IDENTIFIERS if isinstance(value := known.get(key), str) and value
    }
    if not found:
        return {}
    # A provider may give a secret back without its mark, as a name for one.
    secrets = find_secret_texts({"inputs": state.get("inputs"), "outputs": outputs})
    return {key: value for key, value in found.items() if value not in secrets}


def _decode_inputs(state: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return decode_properties(state.get("inputs") or {})
    except TypeError as error:
        raise InvalidInput(refuse(state["urn"], "", None, str(error)).problems) from error


def _find_provider(
    state: Mapping[str, Any], providers: Mapping[str, Provider], config: Mapping[str, Any]
) -> Provider | None:
    """Return the provider that a state refers to (`URN::id`).

    A default provider is no step of a preview and none of a program: its settings are the
    configuration of its package.
    """
    reference = state.get("provider")
    urn = reference.rpartition("::")[0] if isinstance(reference, str) else ""
    if urn in providers:
        return providers[urn]
    package = state["type"].partition(":")[0]
    if not package or package == "pulumi" or not (urn or config):
        return None
    prefix = f"{package}:"
    settings = {
        key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)
    }
    return Provider(urn, decode_properties(settings))


def _read_stack(
    states: Sequence[Mapping[str, Any]], environment: str, config: Mapping[str, Any]
) -> StackFacts:
    if not states:
        return StackFacts(environment=environment)
    parts = states[0]["urn"].split("::", 2)
    if len(parts) != 3 or not parts[0].startswith("urn:pulumi:"):
        return StackFacts(environment=environment)
    stack, project = parts[0].removeprefix("urn:pulumi:"), parts[1]
    configured = config.get(f"{project}:environment")
    said = configured if isinstance(configured, str) and configured != "[secret]" else ""
    return StackFacts(project, stack, environment or said or stack)
