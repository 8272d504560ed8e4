"""What a node pool is made of decides which SDK a program loads, and how much of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tidegate_components.node_pools.kinds import KIND_NAME_RULES, MODULES

SDKS = ("pulumi_aws", "pulumi_gcp", "pulumi_azure_native", "pulumi_kubernetes")
LOADED = {
    "eks_node_group": {"pulumi_aws"},
    "auto_scaling_group": {"pulumi_aws"},
    "karpenter": {"pulumi_kubernetes"},
    "gke": {"pulumi_gcp"},
    "aks": {"pulumi_azure_native"},
}
CLASSES = {
    "eks_node_group": {"NodeGroup", "Tag"},
    "auto_scaling_group": {"AccessEntry", "Group", "InstanceProfile"},
    "karpenter": {"CustomResource"},
    "gke": {"NodePool"},
    "aks": {"AgentPool"},
}


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("module", sorted(LOADED))
def test_only_the_sdk_of_what_nodes_are_made_of_is_loaded(module):
    found = run(
        f"import sys, tidegate_components.node_pools.{module};"
        f"print(*(name for name in {SDKS!r} if name in sys.modules))"
    )

    assert set(found) == LOADED[module]


@pytest.mark.parametrize("module", sorted(CLASSES))
def test_the_classes_are_the_very_ones_of_the_whole_sdk(module):
    found = run(
        f"""
import importlib, pulumi
module = importlib.import_module("tidegate_components.node_pools.{module}")
for name, kind in vars(module).items():
    if isinstance(kind, type) and issubclass(kind, pulumi.CustomResource):
        whole = importlib.import_module(kind.__module__.rpartition(".")[0])
        assert getattr(whole, name) is kind, name
        print(name)
"""
    )

    assert set(found) == CLASSES[module]


def test_each_kind_of_pool_has_a_module_and_a_rule_for_its_name():
    assert set(MODULES) == set(KIND_NAME_RULES)
    assert set(MODULES.values()) == set(LOADED)
