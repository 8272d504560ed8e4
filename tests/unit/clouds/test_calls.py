"""What is called, held against the list from which the controller's roles are built."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tidegate.catalog.actions import load_actions
from tidegate.clouds.aws import endpoints as aws_endpoints
from tidegate.clouds.aws import notebooks as aws_notebooks
from tidegate.clouds.aws import pools as aws
from tidegate.clouds.azure import endpoints as azure_endpoints
from tidegate.clouds.azure import notebooks as azure_notebooks
from tidegate.clouds.azure import pools as azure
from tidegate.clouds.gcp import endpoints as gcp_endpoints
from tidegate.clouds.gcp import notebooks as gcp_notebooks
from tidegate.clouds.gcp import pools as gcp
from tidegate.sources import notices, queues, utilisation_clouds
from tidegate.vocabulary.capacity import Cloud

CALLING = [
    (Cloud.AWS, aws),
    (Cloud.AWS, aws_endpoints),
    (Cloud.AWS, aws_notebooks),
    (Cloud.GCP, gcp),
    (Cloud.GCP, gcp_endpoints),
    (Cloud.GCP, gcp_notebooks),
    (Cloud.AZURE, azure),
    (Cloud.AZURE, azure_endpoints),
    (Cloud.AZURE, azure_notebooks),
]


def actions_of(module):
    """Return the actions beside a module's calls; a call may need several."""
    for needed in module.CALLS.values():
        yield from (needed,) if isinstance(needed, str) else needed


@pytest.mark.parametrize(
    ("cloud", "module"), CALLING, ids=lambda each: getattr(each, "__name__", each)
)
def test_every_call_needs_an_action_that_the_role_allows(cloud, module):
    allowed = {action.action for action in load_actions(cloud).actions}

    assert set(actions_of(module)) <= allowed


@pytest.mark.parametrize("module", [queues, notices, utilisation_clouds])
def test_every_call_of_sources_needs_an_action_that_a_role_allows(module):
    allowed = {action.action for cloud in Cloud for action in load_actions(cloud).actions}

    assert set(module.CALLS.values()) <= allowed


def test_what_is_called_on_queues_of_notices_stands_beside_the_calls():
    called = called_on_clients(notices, ["self._sqs", "self._queue"])

    rest = {"subscriptions.pull", "subscriptions.acknowledge"}
    assert called | rest == set(notices.CALLS)


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
        (aws_endpoints, ["self._sagemaker"]),
        (aws_notebooks, ["self._sagemaker"]),
        (gcp_endpoints, ["self._locations.endpoints()", "pools"]),
        (gcp_notebooks, ["self._instances"]),
        (azure_endpoints, ["self._arm"]),
        (azure_notebooks, ["self._arm"]),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_nothing_is_called_that_does_not_stand_beside_the_calls(module, clients):
    assert called_on_clients(module, clients) == set(module.CALLS)
