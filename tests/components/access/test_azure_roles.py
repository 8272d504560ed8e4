"""What the controller's roles allow on Azure, at the scopes of their assignments."""

from __future__ import annotations

import pytest
from tidegate_components import ControllerAccess

from tidegate.catalog.actions import ActionScope, load_actions
from tidegate.vocabulary.capacity import Cloud

FOREIGN_TO_AZURE = [
    ("actions", "Microsoft.ContainerService/managedClusters/agentPools/delete"),
    ("actions", "Microsoft.ContainerService/managedClusters/write"),
    ("actions", "Microsoft.ContainerService/managedClusters/listClusterAdminCredential/action"),
    ("actions", "Microsoft.Compute/virtualMachineScaleSets/delete"),
    ("actions", "Microsoft.Compute/virtualMachines/write"),
    ("actions", "Microsoft.Compute/capacityReservationGroups/write"),
    ("actions", "Microsoft.AzureFleet/fleets/delete"),
    ("actions", "Microsoft.Authorization/roleAssignments/write"),
    ("actions", "Microsoft.MachineLearningServices/workspaces/computes/delete"),
    ("actions", "Microsoft.Storage/storageAccounts/listKeys/action"),
    ("data_actions", "Microsoft.Storage/storageAccounts/queueServices/queues/messages/write"),
    ("data_actions", "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"),
]


PLACES = {
    ActionScope.SUBSCRIPTION: "/subscriptions/s",
    ActionScope.POOL: "/subscriptions/s/resourceGroups/ml/pools/train",
    ActionScope.QUEUE: "/subscriptions/s/resourceGroups/ml/queues/notices",
    ActionScope.WORKSPACE: "/subscriptions/s/resourceGroups/ml/workspaces/w",
}


@pytest.fixture
def azure(record, labels):
    """Return whether the roles and assignments that are declared allow an action in a place."""
    given = {
        "cloud": "azure",
        "labels": labels,
        "azure": {
            "principal_id": "me",
            "subscription": PLACES[ActionScope.SUBSCRIPTION],
            "pool_scopes": [PLACES[ActionScope.POOL]],
            "queue_scopes": [PLACES[ActionScope.QUEUE]],
            "workspace_scopes": [PLACES[ActionScope.WORKSPACE]],
        },
    }
    recording = record(lambda: ControllerAccess("controller", given))
    roles = {
        f"{each.name}-id": each.inputs["permissions"][0] for each in recording.of("RoleDefinition")
    }
    assignments = [each.inputs for each in recording.of("RoleAssignment")]

    def allows(kind: str, action: str, place: str) -> bool:
        key = "dataActions" if kind == "data_actions" else "actions"
        return any(
            (place == each["scope"] or place.startswith(f"{each['scope']}/"))
            and action in roles[each["roleDefinitionId"]].get(key, [])
            for each in assignments
        )

    return allows


def test_each_listed_action_of_azure_is_allowed_in_its_scope_and_in_no_other(azure):
    elsewhere = "/subscriptions/s/resourceGroups/other/pools/train"
    for each in load_actions(Cloud.AZURE).actions:
        kinds = ["actions", "data_actions"]
        kind = kinds.pop(each.data)

        for scope in (each.scope, *each.also):
            assert azure(kind, each.action, PLACES[scope]), each.action
        assert not azure(kinds[0], each.action, PLACES[each.scope]), each.action
        everywhere = each.scope is ActionScope.SUBSCRIPTION
        assert azure(kind, each.action, elsewhere) is everywhere, each.action


def test_metrics_are_read_on_pools_and_workspaces_and_not_on_queues(azure):
    action = "Microsoft.Insights/metrics/read"
    places = {scope for scope, place in PLACES.items() if azure("actions", action, place)}

    assert places == {ActionScope.POOL, ActionScope.WORKSPACE}


def test_nothing_else_is_allowed_on_azure(azure):
    allowed = [
        action
        for kind, action in FOREIGN_TO_AZURE
        if any(azure(kind, action, place) for place in PLACES.values())
    ]

    assert allowed == []
