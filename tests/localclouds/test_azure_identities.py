"""Azure's identities and role assignments, and what needs them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tidegate.localclouds.answered import as_answered, as_given
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import UNKNOWN, World
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.schema import load_schema

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
SETTINGS = {"subscriptionId": SUBSCRIPTION}
GROUP = "azure-native:resources:ResourceGroup"
CLUSTER = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
HELD_GROUP = "azure-native:compute:CapacityReservationGroup"
HELD = "azure-native:compute:CapacityReservation"
IDENTITY = "azure-native:managedidentity:UserAssignedIdentity"
ROLE = "azure-native:authorization:RoleAssignment"
ACCOUNT = "azure-native:storage:StorageAccount"

IN_GROUP = {"resourceGroupName": "ml"}
SIZE = "Standard_NC24ads_A100_v4"
ROLES = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions"
CONTRIBUTOR = f"{ROLES}/b24988ac-6180-42a0-ab88-20f7382dd24c"
READER = f"{ROLES}/acdd72a7-3385-48ef-bd42-f606fba81ae7"
IDENTITY_INPUTS = {**IN_GROUP, "resourceName": "train", "tags": {"team": "ml"}}


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_azure_cloud(world), world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml", "location": "westeurope"}, "group")
    return made


@pytest.fixture
def identity(engine: Any) -> Any:
    return engine.up(IDENTITY, IDENTITY_INPUTS, "identity")


def in_group(kind: str) -> str:
    return f"/subscriptions/{SUBSCRIPTION}/resourceGroups/ml{kind}"


def role(identity: Any, **changes: Any) -> dict[str, Any]:
    return {
        "principalId": identity.outputs["principalId"],
        "principalType": "ServicePrincipal",
        "roleDefinitionId": CONTRIBUTOR,
        "scope": in_group(""),
        **changes,
    }


def cluster(*identities: str) -> dict[str, Any]:
    own = {"type": "UserAssigned", "userAssignedIdentities": list(identities)}
    return {
        **IN_GROUP,
        "resourceName": "train",
        "dnsPrefix": "train",
        "identity": own if identities else {"type": "SystemAssigned"},
        "agentPoolProfiles": [
            {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
        ],
    }


def test_identity_answers_who_it_is_and_shows_no_change(engine: Any, identity: Any) -> None:
    answered = {name: identity.outputs[name] for name in ("principalId", "clientId", "tenantId")}
    assert len(set(answered.values())) == 3
    place = "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/train"
    assert identity.id == in_group(place)
    assert engine.refresh(IDENTITY, identity, "identity") == identity.inputs
    tags = {**IDENTITY_INPUTS, "tags": {"team": "other"}}
    changed = engine.change(IDENTITY, identity, tags, "identity")
    assert {name: changed.outputs[name] for name in answered} == answered


def test_identity_made_anew_is_another_principal(engine: Any, identity: Any) -> None:
    engine.destroy(IDENTITY, identity, "identity")
    again = engine.up(IDENTITY, IDENTITY_INPUTS, "identity")
    assert again.outputs["principalId"] != identity.outputs["principalId"]


def test_role_assignment_is_named_kept_and_replaced_for_another_principal(
    engine: Any, identity: Any
) -> None:
    inputs = role(identity)
    made = engine.up(ROLE, inputs)
    assert made.id.startswith(in_group("/providers/Microsoft.Authorization/roleAssignments/"))
    assert engine.refresh(ROLE, made) == made.inputs
    assert engine.adopt(ROLE, made.id).items() >= inputs.items()
    assert engine.diff(ROLE, made, inputs).changes == []
    other = {**inputs, "principalId": "00000000-1111-2222-3333-444444444444"}
    difference = engine.diff(ROLE, made, other)
    assert (difference.replaces, difference.delete_first) == ({"principalId"}, False)
    named = {**inputs, "roleAssignmentName": "99999999-1111-5222-8333-444444444444"}
    engine.destroy(ROLE, made)
    given = engine.up(ROLE, named)
    difference = engine.diff(ROLE, given, {**named, "principalId": other["principalId"]})
    assert (difference.replaces, difference.delete_first) == ({"principalId"}, True)
    assert engine.change(ROLE, given, {**named, "description": "held"}).outputs["description"]


def test_role_assignment_stands_on_a_resource_and_goes_with_it(engine: Any, identity: Any) -> None:
    missing = in_group("/providers/Microsoft.Compute/capacityReservationGroups/held")
    with pytest.raises(CloudError, match="capacityReservationGroups/held"):
        engine.up(ROLE, role(identity, scope=missing))
    held = engine.up(HELD_GROUP, {**IN_GROUP, "capacityReservationGroupName": "held"}, "held")
    made = engine.up(ROLE, role(identity, scope=held.id))
    assert made.outputs["scope"] == held.id
    assert engine.refresh(ROLE, made) == made.inputs
    engine.destroy(HELD_GROUP, held, "held")
    assert engine.refresh(ROLE, made) is None


@pytest.mark.parametrize(
    ("token", "inputs", "place"),
    [
        (IDENTITY, {**IDENTITY_INPUTS, "resourceName": "a"}, "resourceName"),
        (ROLE, {"roleAssignmentName": "admin"}, "roleAssignmentName"),
        (ROLE, {"roleDefinitionId": "Contributor"}, "roleDefinitionId"),
        (ROLE, {"principalId": "train"}, "principalId"),
    ],
)
def test_names_and_ids_are_held_against_their_grammar(
    engine: Any, identity: Any, token: str, inputs: dict[str, Any], place: str
) -> None:
    given = role(identity, **inputs) if token == ROLE else inputs
    assert list(engine.refusals(token, given)) == [place]


def test_the_same_role_is_not_given_twice(engine: Any, identity: Any) -> None:
    engine.up(ROLE, role(identity), "one")
    with pytest.raises(CloudError, match="RoleAssignmentExists"):
        engine.up(ROLE, role(identity), "two")
    engine.up(ROLE, role(identity, roleDefinitionId=READER), "other")


def test_an_identity_is_no_user(engine: Any, identity: Any) -> None:
    with pytest.raises(CloudError, match="UnmatchedPrincipalType"):
        engine.up(ROLE, role(identity, principalType="User"))


def test_rest_refuses_another_principal(engine: Any, identity: Any, serve: Any) -> None:
    made = engine.up(ROLE, role(identity))
    url = f"{serve(engine.cloud)}{made.id}?api-version=2022-04-01"
    read = httpx.get(url, trust_env=False).json()
    assert read["properties"]["principalId"] == identity.outputs["principalId"]
    read["properties"]["principalId"] = "00000000-1111-2222-3333-444444444444"
    answer = httpx.put(url, json=read, trust_env=False)
    assert answer.json()["error"]["code"] == "RoleAssignmentUpdateNotPermitted"


def test_cluster_answers_its_identities_as_a_map_and_shows_no_change(
    engine: Any, identity: Any
) -> None:
    inputs = cluster(identity.id)
    made = engine.up(CLUSTER, inputs)
    own = {name: identity.outputs[name] for name in ("clientId", "principalId")}
    assert made.outputs["identity"]["userAssignedIdentities"] == {identity.id: own}
    assert "principalId" not in made.outputs["identity"]
    assert engine.refresh(CLUSTER, made) == made.inputs
    adopted = engine.adopt(CLUSTER, made.id, "found")
    assert adopted["identity"]["userAssignedIdentities"] == [identity.id]
    system = engine.change(CLUSTER, made, cluster())
    assert set(system.outputs["identity"]) == {"type", "principalId", "tenantId"}
    assert engine.refresh(CLUSTER, system) == system.inputs


def test_cluster_takes_no_identity_that_does_not_exist(engine: Any) -> None:
    place = in_group("/providers/Microsoft.ManagedIdentity/userAssignedIdentities/gone")
    with pytest.raises(CloudError, match="userAssignedIdentities/gone"):
        engine.up(CLUSTER, cluster(place))
    none = {**cluster(), "identity": {"type": "UserAssigned"}}
    with pytest.raises(CloudError, match="InvalidIdentityValues"):
        engine.up(CLUSTER, none)


def hold(engine: Any) -> str:
    """Reserve a machine and return its group's id."""
    group = {**IN_GROUP, "capacityReservationGroupName": "held", "zones": ["1"]}
    made = engine.up(HELD_GROUP, group, "held")
    sku = {"name": SIZE, "capacity": 1}
    inside = {**group, "capacityReservationName": "a100", "sku": sku}
    engine.up(HELD, inside, "a100")
    return str(made.id)


@pytest.mark.parametrize(
    "scope", ["", "/providers/Microsoft.Compute/capacityReservationGroups/held"]
)
def test_pool_consumes_a_reservation_only_where_its_cluster_may(
    engine: Any, identity: Any, scope: str
) -> None:
    held = hold(engine)
    made = engine.up(CLUSTER, cluster(), "cluster")
    pool = {
        **IN_GROUP,
        "resourceName": "train",
        "agentPoolName": "a100",
        "vmSize": SIZE,
        "count": 0,
        "capacityReservationGroupID": held,
    }
    with pytest.raises(CloudError, match="needs a user-assigned identity"):
        engine.up(POOL, pool)
    engine.change(CLUSTER, made, cluster(identity.id), "cluster")
    engine.up(ROLE, role(identity, scope=in_group(scope), roleDefinitionId=READER), "reader")
    with pytest.raises(CloudError, match="role Contributor"):
        engine.up(POOL, pool)
    engine.up(ROLE, role(identity, scope=in_group(scope)), "contributor")
    made = engine.up(POOL, pool)
    assert engine.refresh(POOL, made) == made.inputs


def test_a_type_without_an_api_answers_sets_of_names_as_maps_too(
    engine: Any, identity: Any
) -> None:
    """Every azure-native type with an identity has this form; Redis has no API here."""
    token = "azure-native:redis:Redis"
    own = {"type": "UserAssigned", "userAssignedIdentities": [identity.id]}
    sku = {"capacity": 1, "family": "C", "name": "Standard"}
    made = engine.up(token, {**IN_GROUP, "name": "runs", "sku": sku, "identity": own})
    assert made.outputs["identity"]["userAssignedIdentities"] == {identity.id: {}}
    assert engine.refresh(token, made) == made.inputs


@pytest.mark.parametrize(
    ("token", "given", "answered"),
    [
        (CLUSTER, {"identity": {"userAssignedIdentities": ["/a", "/b"]}},
         {"identity": {"userAssignedIdentities": {"/a": {}, "/b": {}}}}),
        (CLUSTER, {"identity": UNKNOWN, "tags": {"a": "b"}},
         {"identity": UNKNOWN, "tags": {"a": "b"}}),
        (CLUSTER, {"identity": {"userAssignedIdentities": [UNKNOWN]}},
         {"identity": {"userAssignedIdentities": UNKNOWN}}),
        (POOL, {"nodeTaints": ["a=b:NoSchedule"], "upgradeSettings": {"maxSurge": "1"}},
         {"nodeTaints": ["a=b:NoSchedule"], "upgradeSettings": {"maxSurge": "1"}}),
        # A text in the inputs, an object in the outputs: not to be told from the text.
        ("azure-native:authorization:ScopeAccessReviewScheduleDefinitionById",
         {"scope": "subscriptions/s"}, {}),
    ],
)  # fmt: skip
def test_inputs_take_the_form_of_outputs(
    token: str, given: dict[str, Any], answered: dict[str, Any]
) -> None:
    schema = load_schema(token)
    assert as_answered(schema, given) == answered
    if UNKNOWN not in answered.values() and answered:
        known = given != {"identity": {"userAssignedIdentities": [UNKNOWN]}}
        assert (as_given(schema, answered) == given) is known
