"""Writes the controller's objects as YAML, for clusters that Pulumi does not manage.

    python -m tidegate_components.controller.render controller.yaml --outputs outputs.json

The file holds the arguments of the component `Controller`, without `capacity` and `bindings`: these
come from what `pulumi stack output --json` printed. What is written goes to standard output, for
`kubectl apply -f -`. Exit code 2 on bad input.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tidegate.vocabulary.problems import InvalidInput, refuse
from tidegate_components.controller.component import gather_controller_inputs
from tidegate_components.controller.files import build_files
from tidegate_components.controller.objects import ClusterObject, build_objects
from tidegate_components.controller.parse import parse_controller
from tidegate_components.kubernetes_object import CORE

NAME = "controller"
OF_THE_STACK = ("capacity", "bindings")
INVALID_INPUT_EXIT = 2


def render_manifests(name: str, args: Mapping[str, Any]) -> str:
    """Return every object of a controller as YAML documents, what others need first.

    Raises:
        InvalidInput: With every fault of the arguments.
    """
    spec = parse_controller(name, args)
    inputs = gather_controller_inputs(spec, args)
    bodies = map(build_body, build_objects(spec, inputs, build_files(spec, inputs)))
    return yaml.safe_dump_all(bodies, sort_keys=False, allow_unicode=True, explicit_start=True)


def build_body(each: ClusterObject) -> dict[str, Any]:
    """Return an object as Kubernetes' own tools take it."""
    version = each.api_version.removeprefix(CORE)
    body = {"apiVersion": version, "kind": each.kind, "metadata": each.metadata, **each.fields}
    # Parts that two objects share would be written as YAML's anchors.
    copied: dict[str, Any] = json.loads(json.dumps(body))
    return copied


def read_arguments(path: Path, outputs: Path) -> dict[str, Any]:
    """Return the component's arguments: those of the file, and what the stack outputs.

    Raises:
        InvalidInput: A file cannot be read, or holds something else.
    """
    given = _read(path, yaml.safe_load, "YAML")
    stack = _read(outputs, json.loads, "JSON")
    for key in OF_THE_STACK:
        if key in given:
            raise refuse(str(path), key, None, "comes from the outputs", "leave it out")
        if key not in stack:
            expected = "what `pulumi stack output --json` printed"
            raise refuse(str(outputs), key, None, "is missing", expected)
    return {**given, **{key: stack[key] for key in OF_THE_STACK}}


def _read(path: Path, parse: Callable[[str], Any], form: str) -> dict[str, Any]:
    try:
        document = parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        reason = f"cannot be read as {form}: {' '.join(str(error).split())}"
        raise refuse(str(path), "", None, reason, f"a file of {form}") from error
    if not isinstance(document, dict):
        raise refuse(str(path), "", None, "is no object", "keys with values")
    return document


def main() -> int:
    """Write the manifests."""
    parser = argparse.ArgumentParser(
        description="Write the objects of Tidegate's controller as YAML for `kubectl apply -f -`.",
        epilog=(
            "Example: python -m tidegate_components.controller.render controller.yaml "
            "--outputs outputs.json | kubectl apply -f -"
        ),
    )
    parser.add_argument("arguments", type=Path, help="YAML: the component's arguments")
    parser.add_argument(
        "--outputs", type=Path, required=True, help="what `pulumi stack output --json` printed"
    )
    parser.add_argument("--name", default=NAME, help=f"its id ({NAME})")
    chosen = parser.parse_args()
    try:
        text = render_manifests(chosen.name, read_arguments(chosen.arguments, chosen.outputs))
    except InvalidInput as error:
        for problem in error.problems:
            sys.stderr.write(f"error: {problem}\n")
        return INVALID_INPUT_EXIT
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
