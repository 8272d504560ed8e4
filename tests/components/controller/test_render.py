"""The controller's manifests for `kubectl`: the very objects that the component declares."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support.in_cluster import BINDINGS, IDENTITIES, build_args, build_manifest
from tidegate_components.controller.render import render_manifests

EXAMPLE = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes" / "controller.yaml"
CHOICES = [
    {},
    {
        "replicas": 2,
        "database": {"name": "controller", "key": "database"},
        "monitoring": {"namespace": "metrics", "kind": "service-monitor"},
        "existing_namespace": True,
    },
    {
        "capacity": build_manifest("aws", "gcp", "azure"),
        "kubeconfig": {"name": "clusters", "key": "kubeconfig"},
        **IDENTITIES,
    },
]


@pytest.mark.parametrize("changes", CHOICES, ids=["plain", "two", "abroad"])
def test_manifests_are_what_the_component_declares(declare, changes):
    recording = declare(**changes)
    declared = [each.inputs for each in recording.all if each.type.startswith("kubernetes:")]

    written = [*yaml.safe_load_all(render_manifests("controller", build_args(**changes)))]

    assert written == json.loads(json.dumps(declared))


@pytest.fixture
def render(tmp_path):
    """Run the program with a file of arguments and one of outputs."""

    def run(arguments, outputs):
        (tmp_path / "controller.yaml").write_text(arguments, encoding="utf-8")
        (tmp_path / "outputs.json").write_text(outputs, encoding="utf-8")
        program = [sys.executable, "-m", "tidegate_components.controller.render"]
        return subprocess.run(
            [*program, "controller.yaml", "--outputs", "outputs.json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


OUTPUTS = json.dumps({"capacity": build_manifest("aws"), "bindings": BINDINGS})


def test_the_example_is_rendered_by_the_command_of_its_page(render):
    done = render(EXAMPLE.read_text("utf-8"), OUTPUTS)

    assert (done.returncode, done.stderr) == (0, "")
    kinds = [each["kind"] for each in yaml.safe_load_all(done.stdout)]
    assert kinds[0] == "Namespace"
    assert {"Deployment", "ClusterRole", "ConfigMap", "NetworkPolicy", "PodMonitor"} <= set(kinds)


@pytest.mark.parametrize(
    ("arguments", "outputs", "words"),
    [
        ("[]", OUTPUTS, "controller.yaml: is no object"),
        ("a: [", OUTPUTS, "controller.yaml: cannot be read as YAML"),
        ("cloud: aws", "{", "outputs.json: cannot be read as JSON"),
        ("cloud: aws", "{}", "outputs.json: capacity: is missing"),
        ("bindings: {}", OUTPUTS, "controller.yaml: bindings: comes from the outputs"),
        ("cloud: aws", OUTPUTS, "controller controller: cluster: is required and is missing"),
    ],
)
def test_bad_input_ends_with_2_and_says_what_is_wrong(render, arguments, outputs, words):
    done = render(arguments, outputs)

    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
