"""One stack as each way into a check would show it, to be read by the real readers.

The shapes are those of the recordings in `policies/data/ways`.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from pulumi.runtime.proto import analyzer_pb2

from tidegate.policy.check import StackCheck
from tidegate.policy.collected import FORMAT, read_collected
from tidegate.policy.event_log import read_event_log
from tidegate.policy.export import read_export
from tidegate.policy.graph import Resource, ResourceGraph
from tidegate.policy.preview import read_preview
from tidegate.policy.values import SECRET_SIGNATURE, SIGNATURE_KEY
from tidegate.vocabulary.verdicts import Verdict

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
HEAD = "urn:pulumi:prod::vision::"
POLICIES = Path(__file__).resolve().parents[2] / "policies"
READERS = ("program", "preview", "events", "export")


def load_adapter() -> ModuleType:
    """Return the pack's module between the engine and the rules."""
    name = "crossguard"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, POLICIES / "crossguard.py")
    assert spec is not None
    assert spec.loader is not None
    adapter = importlib.util.module_from_spec(spec)
    # The engine runs the pack's folder as a program: its modules are top-level ones.
    sys.path.insert(0, str(POLICIES))
    try:
        spec.loader.exec_module(adapter)
    finally:
        sys.path.remove(str(POLICIES))
    return adapter


def can_carry(way: str, resources: tuple[Resource, ...]) -> bool:
    """Return whether a way shows all that a case is about."""
    text = json.dumps([dict(resource.properties) for resource in resources])
    if way == "export" and "$unknown" in text:
        return False  # what exists is known
    return way != "events" or not any(resource.dependencies for resource in resources)


def read_by(way: str, resources: tuple[Resource, ...]) -> ResourceGraph:
    """Return what the reader of a way makes of resources."""
    secret = (
        "[secret]" if way == "preview" else {SIGNATURE_KEY: SECRET_SIGNATURE, "ciphertext": "c"}
    )
    states = [state for each in resources for state in _states(each, secret)]
    if way == "program":
        document = {"format": FORMAT, "config": {}, "resources": states}
        return read_collected(way, document, "prod")
    if way == "export":
        return read_export(way, {"version": 3, "deployment": {"resources": states}}, "prod")
    if way == "preview":
        steps = [{"op": "create", "urn": state["urn"], "newState": state} for state in states]
        document = {"config": {}, "steps": steps, "changeSummary": {"create": len(steps)}}
        return read_preview(way, document, "prod").graph
    events = [{"preludeEvent": {"config": {}}}]
    for state in states:
        metadata = {"op": "create", "urn": state["urn"], "type": state["type"], "new": state}
        events.append({"resourcePreEvent": {"metadata": metadata, "planning": True}})
    events.append({"summaryEvent": {"result": "succeeded", "resourceChanges": {}}})
    return read_event_log(way, "\n".join(map(json.dumps, events)), "prod").graph


def play_to_pack(check: StackCheck, resources: tuple[Resource, ...]) -> list[Verdict]:
    """Return what the pack says of resources: of each by itself, then of all together."""
    adapter = load_adapter()
    secret = {SIGNATURE_KEY: SECRET_SIGNATURE, "value": "plaintext"}
    check.configure_stack("vision", "prod", "prod")
    said: list[Verdict] = []
    requests = []
    for each in resources:
        request = analyzer_pb2.AnalyzeRequest(urn=each.urn, type=each.type, name=each.name)
        shown = analyzer_pb2.AnalyzerResource(urn=each.urn, type=each.type, name=each.name)
        for message in (request, shown):
            message.properties.update(_encode(dict(each.properties), secret))
            message.options.protect = each.protect
            if each.provider is not None:
                message.provider.urn = each.provider.urn
                message.provider.properties.update(_encode(dict(each.provider.properties), secret))
        shown.properties.update(each.identifiers)
        for name, urns in each.dependencies.items():
            shown.propertyDependencies[name].urns.extend(urns)
        said += check.judge_resource(adapter._read_resource(request))
        requests.append(shown)
    said += check.judge_stack([adapter._read_resource(request) for request in requests])
    return said


def _states(resource: Resource, secret: Any) -> list[dict[str, Any]]:
    package = resource.type.partition(":")[0]
    provider = f"{HEAD}pulumi:providers:{package}::of-{resource.name}"
    settings = dict(resource.provider.properties) if resource.provider else {}
    return [
        {
            "urn": provider,
            "type": f"pulumi:providers:{package}",
            "custom": True,
            "id": "p",
            "inputs": _encode(settings, secret),
        },
        {
            "urn": resource.urn,
            "type": resource.type,
            "custom": True,
            "inputs": _encode(dict(resource.properties), secret),
            "outputs": dict(resource.identifiers),
            "provider": f"{provider}::p",
            "protect": resource.protect,
            "propertyDependencies": {
                name: list(urns) for name, urns in resource.dependencies.items()
            },
        },
    ]


def _encode(value: Any, secret: Any) -> Any:
    """Return a decoded value as the protocol carries it."""
    if isinstance(value, dict):
        if value.get("$unknown") is True:
            return UNKNOWN
        if value.get("$secret") is True:
            return secret
        return {key: _encode(item, secret) for key, item in value.items()}
    if isinstance(value, list):
        return [_encode(item, secret) for item in value]
    return value
