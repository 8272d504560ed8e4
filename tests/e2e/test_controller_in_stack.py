"""A controller in the cluster of the stack that declares it: gated, idempotent, and fed by it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubernetes import client
from support.workspace import Workspace

pytestmark = pytest.mark.slow

STACK = "dev"
CLUSTER = "aws/tidegate-dev.us-east-1"


def keep_aws(config: dict[str, Any]) -> None:
    """Leave what is on AWS, and add a controller."""
    for key, entries in config.items():
        if isinstance(entries, dict) and key not in ("tidegate:labels", "tidegate:hourlyCeiling"):
            kept = {
                name: each
                for name, each in entries.items()
                if name == "aws" or (isinstance(each, dict) and each.get("cloud") == "aws")
            }
            config[key] = kept
    config["tidegate:controllers"] = {
        "controller": {
            "cloud": "aws",
            "workloadClass": "platform",
            "image": "registry.example/tidegate:0.1.0",
            "token": {"name": "controller", "key": "token"},
        }
    }


def read_outputs(workspace: Workspace) -> Any:
    """Return what the controller's pod would read, by the official client."""
    url = f"{workspace.endpoints.kubernetes_url}/k8s/{CLUSTER}"
    with client.ApiClient(client.Configuration(host=url)) as api:
        found = client.CoreV1Api(api).read_namespaced_config_map("controller", "tidegate")
    return json.loads(found.data["outputs.json"])


def test_the_stack_comes_up_with_its_controller_and_no_rule_fails(workspace: Workspace) -> None:
    workspace.configure(STACK, keep_aws)

    result = workspace.up(STACK)

    assert result.succeeded, result.explain()
    told = read_outputs(workspace)
    exported = workspace.runner.outputs(STACK)
    assert told["capacity"] == json.loads(json.dumps(exported["capacity"]))
    assert told["bindings"]["pools"] == exported["bindings"]["pools"]


def test_a_second_up_changes_nothing(workspace: Workspace) -> None:
    assert set(workspace.up(STACK).changes) == {"same"}


def test_another_maximum_reaches_the_pods_without_a_restart(workspace: Workspace) -> None:
    def grow(config: dict[str, Any]) -> None:
        config["tidegate:pools"]["dev-aws-l4"]["maxNodes"] = 3

    workspace.configure(STACK, grow)

    result = workspace.up(STACK)

    assert result.succeeded, result.explain()
    pools = {pool["id"]: pool for pool in read_outputs(workspace)["capacity"]["pools"]}
    assert pools["dev-aws-l4"]["maxNodes"] == 3
    changed = {step.type for step in result.steps if step.operation != "same"}
    assert "kubernetes:apps/v1:Deployment" not in changed
