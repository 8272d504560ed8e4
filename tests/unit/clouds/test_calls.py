"""What is called, held against the list from which the controller's roles are built."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tidegate.catalog.actions import load_actions
from tidegate.clouds.aws import pools as aws
from tidegate.clouds.azure import pools as azure
from tidegate.clouds.gcp import pools as gcp
from tidegate.sources import queues
from tidegate.vocabulary.capacity import Cloud

POOLS = {Cloud.AWS: aws, Cloud.GCP: gcp, Cloud.AZURE: azure}


@pytest.mark.parametrize("cloud", list(Cloud))
def test_every_call_on_pools_needs_an_action_that_the_role_allows(cloud):
    allowed = {action.action for action in load_actions(cloud).actions}

    assert set(POOLS[cloud].CALLS.values()) <= allowed


def test_every_call_on_queues_needs_an_action_that_a_role_allows():
    allowed = {action.action for cloud in Cloud for action in load_actions(cloud).actions}

    assert set(queues.CALLS.values()) <= allowed


def called_on_clients(module, clients):
    """Return the methods that a module calls on its SDK clients, by its own text."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    found = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            text = ast.unparse(each.func)
            owner = next((name for name in clients if text.startswith(f"{name}.")), "")
            if owner:
                found.add(text.removeprefix(f"{owner}."))
    return found


@pytest.mark.parametrize(
    ("module", "clients"),
    [
        (aws, ["self._autoscaling", "self._eks", "eks"]),
        (gcp, ["self._client", "self._container"]),
        (azure, ["self._containers", "self._compute"]),
    ],
    ids=["aws", "gcp", "azure"],
)
def test_nothing_is_called_that_does_not_stand_beside_the_calls(module, clients):
    assert called_on_clients(module, clients) == set(module.CALLS)
