"""Google's kinds as the engine meets them: no change twice, replacements, drift, no end."""

from __future__ import annotations

from typing import Any

import pytest
from support import gcp_inputs as given

from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.localclouds.refusals import CloudError


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_gcp_cloud(world), world, given.SETTINGS)
    given.declare_base(made)
    return made


@pytest.mark.parametrize("case", sorted(given.EVERY_KIND))
def test_second_up_and_refresh_show_no_change(engine: Any, case: str) -> None:
    token, inputs = given.EVERY_KIND[case]
    made = engine.up(token, inputs)
    assert engine.refresh(token, made) == made.inputs
    assert engine.diff(token, made, inputs).changes == []
    engine.destroy(token, made)
    assert engine.refresh(token, made) is None


REPLACEMENTS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "topic": ("topic", {"name": "other"}, {"name"}),
    "subscription": ("subscription", {"topic": "alerts"}, {"topic"}),
    "sink": ("sink", {"uniqueWriterIdentity": False}, {"uniqueWriterIdentity"}),
    "metric": ("metric", {"name": "other"}, {"name"}),
    "role": ("role", {"roleId": "other"}, {"roleId"}),
    "project-member": ("project-member", {"role": "roles/viewer", "condition": None},
                       {"role", "condition"}),
    "topic-member": ("topic-member", {"member": "group:ops@example.com"}, {"member"}),
    "account-member": ("account-member", {"role": "roles/iam.serviceAccountTokenCreator"},
                       {"role"}),
    "bucket-member": ("bucket-member", {"bucket": "other"}, {"bucket"}),
    "budget": ("budget", {"billingAccount": "ABCDEF-000000-111111"}, {"billingAccount"}),
    "channel": ("channel", {"project": "other"}, {"project"}),
    "endpoint": ("endpoint", {"location": "europe-west4"}, {"location"}),
    "resource-pool": ("resource-pool", {"name": "other"}, {"name"}),
    "notebook": ("notebook", {"instanceOwners": ["a@b.c"]}, {"instanceOwners"}),
    "template": ("template", {"machineType": "g2-standard-12"}, {"machineType"}),
    "global-template": ("global-template", {"labels": {"cost-center": "cc-7"}}, {"labels"}),
    "group": ("group", {"distributionPolicyZones": ["us-central1-a"]}, {"distributionPolicyZones"}),
    "zone-group": ("zone-group", {"baseInstanceName": "other"}, {"baseInstanceName"}),
    "policy": ("policy", {"region": "us-east1"}, {"region"}),
    "future": ("future", {"description": "other"}, {"description"}),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(REPLACEMENTS))
def test_change_replaces(engine: Any, case: str) -> None:
    kind, changes, replaced = REPLACEMENTS[case]
    token, inputs = given.EVERY_KIND[kind]
    made = engine.up(token, inputs)
    changed = {key: value for key, value in {**inputs, **changes}.items() if value is not None}
    assert engine.diff(token, made, changed).replaces == replaced


IN_PLACE: dict[str, tuple[str, dict[str, Any]]] = {
    "topic": ("topic", {"labels": {"cost-center": "cc-7"}}),
    "subscription": ("subscription", {"ackDeadlineSeconds": 30, "labels": {"a": "b"}}),
    "sink": ("sink", {"filter": "severity>=ERROR"}),
    "metric": ("metric", {"description": "counted"}),
    "role": ("role", {"permissions": ["container.clusters.list"]}),
    "budget": ("budget", {"amount": {"specifiedAmount": {"currencyCode": "EUR", "units": "9"}}}),
    "channel": ("channel", {"displayName": "Others"}),
    "endpoint": ("endpoint", {"labels": {"cost-center": "cc-7"}}),
    "notebook": ("notebook", {"labels": {"cost-center": "cc-7"}}),
    "group": ("group", {"targetSize": 2, "distributionPolicyTargetShape": "BALANCED",
                       "updatePolicy": {
        "type": "PROACTIVE", "minimalAction": "REPLACE", "instanceRedistributionType": "NONE"}}),
    "zone-group": ("zone-group", {"targetSize": 1}),
    "future": ("future", {"planningStatus": "SUBMITTED"}),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(IN_PLACE))
def test_change_is_made_in_place_and_stays(engine: Any, case: str) -> None:
    kind, changes = IN_PLACE[case]
    token, inputs = given.EVERY_KIND[kind]
    made = engine.up(token, inputs)
    changed = {**inputs, **changes}
    assert engine.diff(token, made, changed).replaces == frozenset()
    new = engine.change(token, made, changed)
    assert engine.refresh(token, new) == new.inputs
    assert engine.diff(token, new, changed).changes == []


@pytest.mark.parametrize("case", sorted(given.EVERY_KIND.keys() - {"budget", "channel"}))
def test_name_that_is_taken_is_refused_or_shared(engine: Any, case: str) -> None:
    token, inputs = given.EVERY_KIND[case]
    engine.up(token, inputs, "first")
    if token.lower().endswith("iammember"):
        assert engine.up(token, inputs, "second").id == engine.up(token, inputs, "third").id
        return
    with pytest.raises(CloudError, match="already exists"):
        engine.up(token, inputs, "second")


def test_commitment_is_replaced_by_every_change_and_never_ends(engine: Any) -> None:
    made = engine.up(given.COMMITMENT, given.COMMITTED)
    assert engine.refresh(given.COMMITMENT, made) == made.inputs
    for change in ({"plan": "THIRTY_SIX_MONTH"}, {"description": "x"}, {"autoRenew": True}):
        difference = engine.diff(given.COMMITMENT, made, {**given.COMMITTED, **change})
        assert difference.replaces == set(change)
    engine.destroy(given.COMMITMENT, made)
    # The name is taken for as long as the contract runs: nothing is bought twice by it.
    with pytest.raises(CloudError, match="already exists"):
        engine.up(given.COMMITMENT, given.COMMITTED, "again")
    assert engine.adopt(given.COMMITMENT, made.id)["plan"] == "TWELVE_MONTH"


def test_reservations_that_a_commitment_shows_later_replace_nothing(engine: Any) -> None:
    plain = {
        "name": "cpus",
        "region": "us-central1",
        "plan": "TWELVE_MONTH",
        "resources": [{"type": "VCPU", "amount": "8"}, {"type": "MEMORY", "amount": "32768"}],
    }
    made = engine.up(given.COMMITMENT, plain)
    held = given.COMMITTED["existingReservations"]
    later = engine.diff(given.COMMITMENT, made, {**plain, "existingReservations": held})
    assert later.replaces == frozenset()
    bound = engine.up(given.COMMITMENT, given.COMMITTED, "bound")
    other = {**given.COMMITTED, "existingReservations": f"{held}-other"}
    assert engine.diff(given.COMMITMENT, bound, other).replaces == {"existingReservations"}


def test_future_reservation_that_was_submitted_is_no_draft_again(engine: Any) -> None:
    token, inputs = given.EVERY_KIND["future"]
    made = engine.up(token, {**inputs, "planningStatus": "SUBMITTED"})
    with pytest.raises(CloudError, match="cannot be a draft again"):
        engine.change(token, made, inputs)


def test_deleted_role_comes_back_and_cannot_be_granted_meanwhile(engine: Any) -> None:
    role = engine.up(*given.EVERY_KIND["role"], "role")
    grant = {
        "project": given.PROJECT,
        "role": role.outputs["name"],
        "member": given.CONTROLLER,
    }
    member = engine.up(given.PROJECT_MEMBER, grant, "member")
    engine.destroy(given.PROJECT_MEMBER, member, "member")
    engine.destroy(given.ROLE, role, "role")
    with pytest.raises(CloudError, match="does not exist"):
        engine.up(given.PROJECT_MEMBER, grant, "late")
    engine.up(*given.EVERY_KIND["role"], "role-again")
    assert engine.up(given.PROJECT_MEMBER, grant, "again").id == member.id


def test_members_of_one_role_leave_each_other_alone(engine: Any) -> None:
    token, inputs = given.EVERY_KIND["topic-member"]
    first = engine.up(token, inputs, "first")
    second = engine.up(token, {**inputs, "member": "group:ops@example.com"}, "second")
    engine.destroy(token, first, "first")
    assert engine.refresh(token, first, "first") is None
    assert engine.refresh(token, second, "second") == second.inputs


def test_conditions_of_one_role_are_bindings_of_their_own(engine: Any) -> None:
    token, inputs = given.EVERY_KIND["project-member"]
    first = engine.up(token, inputs, "first")
    other = {"title": "other", "expression": "true"}
    second = engine.up(token, {**inputs, "condition": other}, "second")
    assert (
        first.id == f"{given.PROJECT}/roles/container.viewer/{given.CONTROLLER}/pools-of-tidegate"
    )
    engine.destroy(token, first, "first")
    assert engine.refresh(token, second, "second") == second.inputs


def test_startup_script_is_known_to_an_import_of_a_template(engine: Any) -> None:
    made = engine.up(given.TEMPLATE, {**given.SPOT_TEMPLATE, "name": "other"}, "other")
    found = engine.adopt(given.TEMPLATE, made.id, "imported")
    assert found["metadataStartupScript"] == "#! /bin/sh"
    assert found["machineType"] == "g2-standard-8"
    assert found["scheduling"]["provisioningModel"] == "SPOT"


def test_template_that_a_group_uses_is_not_deleted(engine: Any) -> None:
    template = engine.up(given.TEMPLATE, {**given.SPOT_TEMPLATE, "name": "used"}, "used")
    inputs = {
        **given.FLEXIBLE_GROUP,
        "versions": [{"instanceTemplate": template.outputs["selfLink"]}],
    }
    group = engine.up(given.GROUP, inputs, "group")
    assert engine.refresh(given.GROUP, group, "group") == group.inputs
    with pytest.raises(CloudError, match="already being used by"):
        engine.destroy(given.TEMPLATE, template, "used")
    engine.destroy(given.GROUP, group, "group")
    engine.destroy(given.TEMPLATE, template, "used")


def test_names_that_are_left_out_are_made(engine: Any) -> None:
    prefixed = {key: value for key, value in given.SPOT_TEMPLATE.items() if key != "name"}
    named = engine.up(given.TEMPLATE, {**prefixed, "namePrefix": "spot-"}, "prefixed")
    assert named.id.rsplit("/", 1)[1].startswith("spot-")
    token, future = given.EVERY_KIND["future"]
    unnamed = {key: value for key, value in future.items() if key != "name"}
    # Its prefix names the reservations that it will make, not itself.
    drafted = engine.up(token, {**unnamed, "namePrefix": "summer"})
    assert drafted.outputs["name"].startswith("future-")
    assert engine.refresh(token, drafted) == drafted.inputs
    budget = engine.up(*given.EVERY_KIND["budget"])
    assert budget.id == f"billingAccounts/012345-6789AB-CDEF01/budgets/{budget.outputs['name']}"
    channel = engine.up(*given.EVERY_KIND["channel"])
    assert channel.outputs["name"] == channel.id
    role = {key: value for key, value in given.EVERY_KIND["role"][1].items() if key != "roleId"}
    assert "-" not in engine.up(given.ROLE, role, "my-role").outputs["roleId"]


@pytest.mark.parametrize("case", ["topic", "endpoint", "notebook", "template"])
def test_default_labels_reach_the_cloud_and_are_no_drift(
    engine: Any, make_engine: Any, case: str
) -> None:
    settings = {**given.SETTINGS, "defaultLabels": {"team": "ml", "cost-center": "cc-0"}}
    labelled = make_engine(engine.cloud, engine.world, settings)
    token, inputs = given.EVERY_KIND[case]
    made = labelled.up(token, inputs)
    behaviour = engine.cloud.behaviours[token]
    body = behaviour.load(made.id)
    live = body["properties"]["labels"] if case == "template" else body["labels"]
    assert live == {"team": "ml", **given.LABELS}
    assert made.outputs["labels"] == given.LABELS
    assert made.outputs["effectiveLabels"] == {"team": "ml", **given.LABELS}
    assert labelled.refresh(token, made) == made.inputs
    assert labelled.diff(token, made, inputs).changes == []


def test_endpoint_names_its_network_by_the_number_of_the_project(engine: Any) -> None:
    engine.up("gcp:compute/network:Network", {"name": "vpc"}, "vpc")
    token, inputs = given.EVERY_KIND["endpoint"]
    number = names.project_number(given.PROJECT)
    inputs = {**inputs, "network": f"projects/{number}/global/networks/vpc"}
    made = engine.up(token, inputs)
    assert engine.refresh(token, made) == made.inputs
