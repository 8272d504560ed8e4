"""The files that the controller is given: what its ConfigMap holds."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pulumi

from tidegate.vocabulary.problems import refuse
from tidegate_components.controller.identities import build_credentials
from tidegate_components.controller.spec import ControllerSpec
from tidegate_components.deferred import apply_known

OUTPUTS_FILE = "outputs.json"
SOURCES_FILE = "sources.yaml"
PRICES_FILE = "prices.yaml"
MAX_CONFIGURATION = 1_000_000
"""Bytes of a ConfigMap, a little below what Kubernetes takes (1 MiB, metadata included)."""


def build_files(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, pulumi.Input[str]]:
    """Return each file by its name; plain where the bindings are."""
    return {
        OUTPUTS_FILE: apply_known(partial(render_outputs, spec), inputs["bindings"]),
        SOURCES_FILE: render_sources(spec),
        **({PRICES_FILE: spec.prices} if spec.prices else {}),
        **build_credentials(spec, inputs),
    }


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
