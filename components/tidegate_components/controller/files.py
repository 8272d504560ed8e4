"""The files that the controller is given: what its ConfigMap holds."""

from __future__ import annotations

import json
from typing import Any

import pulumi

from tidegate.vocabulary.problems import refuse
from tidegate_components.controller.identities import build_credentials
from tidegate_components.controller.spec import ControllerSpec

OUTPUTS_FILE = "outputs.json"
SOURCES_FILE = "sources.yaml"
PRICES_FILE = "prices.yaml"
MAX_CONFIGURATION = 1_000_000
"""Bytes of a ConfigMap, a little below what Kubernetes takes (1 MiB, metadata included)."""


def build_files(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, pulumi.Input[str]]:
    """Return each file by its name; plain where the bindings are."""
    bindings = inputs["bindings"]
    outputs: pulumi.Input[str] = (
        pulumi.Output.from_input(bindings).apply(lambda known: render_outputs(spec, known))
        if has_output(bindings)
        else render_outputs(spec, bindings)
    )
    return {
        OUTPUTS_FILE: outputs,
        SOURCES_FILE: render_sources(spec),
        **({PRICES_FILE: spec.prices} if spec.prices else {}),
        **build_credentials(spec, inputs),
    }


def has_output(value: Any) -> bool:
    """Return whether any part of a value is known only once something was created."""
    if isinstance(value, dict):
        return any(map(has_output, value.values()))
    if isinstance(value, list):
        return any(map(has_output, value))
    return not isinstance(value, str | int | float | None)


def render_outputs(spec: ControllerSpec, bindings: dict[str, Any]) -> str:
    """Return the stack's outputs as `pulumi stack output --json` prints them.

    Raises:
        InvalidInput: When they are more than a ConfigMap takes.
    """
    document = {"capacity": spec.capacity, "bindings": bindings}
    text = json.dumps(document, separators=(",", ":"), sort_keys=True)
    size = len(text.encode())
    if size > MAX_CONFIGURATION:
        reason = f"makes {size} bytes of configuration, more than a ConfigMap takes"
        expected = f"at most {MAX_CONFIGURATION}: fewer pools, or two stacks"
        raise refuse(spec.where, "capacity", None, reason, expected)
    return text


def render_sources(spec: ControllerSpec) -> str:
    """Return the sources' file: JSON, which is YAML too."""
    return json.dumps(spec.sources, indent=2, sort_keys=True) + "\n"
