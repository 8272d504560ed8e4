"""Templates, managed instance groups, policies and commitments by Google's own Compute SDK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1
from support import gcp_inputs as given

from tidegate.localclouds.contracts import World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

REGION = {"project": given.PROJECT, "region": "us-central1"}
ZONE = {"project": given.PROJECT, "zone": "us-central1-a"}
URL = f"https://www.googleapis.com/compute/v1/projects/{given.PROJECT}"
GROUP = {**REGION, "instance_group_manager": "spot"}


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_gcp_cloud(world), world, given.SETTINGS)
    given.declare_base(made)
    return made


@pytest.fixture
def client(world: World, serve: Callable[..., str]) -> Callable[[str], Any]:
    """Return one of `compute_v1`'s clients by name."""
    options = {
        "credentials": AnonymousCredentials(),
        "client_options": {"api_endpoint": serve(build_gcp_cloud(world))},
    }
    return lambda name: getattr(compute_v1, f"{name}Client")(**options)


@pytest.fixture
def group(engine: Any) -> Any:
    return engine.up(given.GROUP, given.FLEXIBLE_GROUP, "group")


def machines_of(client: Any, **where: str) -> list[tuple[str, str]]:
    """Return zone and machine type of a project's instances."""
    found = client("Instances").aggregated_list(project=given.PROJECT, **where)
    return sorted(
        (scope.removeprefix("zones/"), instance.machine_type.rsplit("/", 1)[1])
        for scope, listed in found
        for instance in listed.instances
    )


def test_template_is_read_back_whole(engine: Any, client: Any) -> None:
    shown = client("RegionInstanceTemplates").get(**REGION, instance_template="spot")
    inside = shown.properties
    assert shown.self_link == f"{URL}/regions/us-central1/instanceTemplates/spot"
    assert inside.machine_type == "g2-standard-8"
    assert dict(inside.labels) == given.LABELS
    (disk,) = inside.disks
    assert (disk.boot, disk.auto_delete, disk.initialize_params.disk_size_gb) == (True, True, 100)
    assert disk.initialize_params.source_image.endswith("family/debian-12")
    assert disk.initialize_params.disk_type == "pd-balanced"
    assert dict(disk.initialize_params.labels) == given.LABELS
    assert [feature.type_ for feature in disk.guest_os_features] == ["GVNIC"]
    (accelerator,) = inside.guest_accelerators
    assert (accelerator.accelerator_type, accelerator.accelerator_count) == ("nvidia-l4", 1)
    assert {item.key: item.value for item in inside.metadata.items} == {
        "owner": "ml",
        "startup-script": "#! /bin/sh",
    }
    (interface,) = inside.network_interfaces
    assert interface.network == "default"
    assert interface.access_configs[0].network_tier == "PREMIUM"
    scheduling = inside.scheduling
    assert scheduling.provisioning_model == "SPOT"
    assert scheduling.preemptible is True
    assert scheduling.automatic_restart is False
    assert scheduling.on_host_maintenance == "TERMINATE"
    assert scheduling.instance_termination_action == "DELETE"
    (account,) = inside.service_accounts
    assert account.email == given.EMAIL
    assert list(account.scopes) == ["https://www.googleapis.com/auth/cloud-platform"]
    assert list(inside.tags.items) == ["spot"]


def test_global_template_names_its_reservation(engine: Any, client: Any) -> None:
    engine.up(*given.EVERY_KIND["global-template"])
    shown = client("InstanceTemplates").get(project=given.PROJECT, instance_template="plain")
    affinity = shown.properties.reservation_affinity
    assert affinity.consume_reservation_type == "SPECIFIC_RESERVATION"
    assert affinity.key == "compute.googleapis.com/reservation-name"
    assert list(affinity.values) == ["held"]


def test_group_is_read_back_whole(client: Any, group: Any) -> None:
    shown = client("RegionInstanceGroupManagers").get(**GROUP)
    assert shown.base_instance_name == "spot"
    assert shown.target_size == 0
    assert shown.region == f"{URL}/regions/us-central1"
    assert shown.instance_group == f"{URL}/regions/us-central1/instanceGroups/spot"
    assert [version.instance_template for version in shown.versions] == [
        f"{URL}/regions/us-central1/instanceTemplates/spot"
    ]
    assert shown.distribution_policy.target_shape == "ANY"
    assert [zone.zone for zone in shown.distribution_policy.zones] == [
        f"{URL}/zones/us-central1-a",
        f"{URL}/zones/us-central1-b",
    ]
    selections = shown.instance_flexibility_policy.instance_selections
    assert {name: (item.rank, list(item.machine_types)) for name, item in selections.items()} == {
        "best": (1, ["g2-standard-8"]),
        "next": (2, ["g2-standard-12", "g2-standard-16"]),
    }
    policy = shown.update_policy
    assert (policy.type_, policy.minimal_action) == ("OPPORTUNISTIC", "REPLACE")
    assert policy.instance_redistribution_type == "NONE"
    assert (policy.max_surge.fixed, policy.max_unavailable.fixed) == (0, 2)
    assert dict(shown.all_instances_config.properties.labels) == given.LABELS
    assert shown.instance_lifecycle_policy.default_action_on_failure == "REPAIR"
    assert shown.status.is_stable is True


def test_size_that_the_sdk_set_is_live_though_the_program_says_another(
    engine: Any, client: Any, group: Any
) -> None:
    groups = client("RegionInstanceGroupManagers")
    operation = groups.resize_unary(**GROUP, size=3)
    waited = client("RegionOperations").wait(**REGION, operation=operation.name)
    assert waited.status is compute_v1.Operation.Status.DONE
    listed = list(groups.list_managed_instances(**GROUP))
    assert len(listed) == 3
    assert {item.current_action for item in listed} == {"NONE"}
    assert {item.properties_from_flexibility_policy.machine_type for item in listed} == {
        "g2-standard-8"
    }
    assert engine.refresh(given.GROUP, group, "group") == {**group.inputs, "targetSize": 3}
    # A change of anything else leaves the size alone, as `ignore_changes` has it.
    seen = {**given.FLEXIBLE_GROUP, "targetSize": 3, "namedPorts": [{"name": "a", "port": 1}]}
    live = engine.change(given.GROUP, group, seen, "group")
    assert groups.get(**GROUP).target_size == 3
    assert live.outputs["targetSize"] == 3


def test_group_of_any_shape_stands_in_its_zones_with_labels_of_template_and_group(
    client: Any, group: Any
) -> None:
    client("RegionInstanceGroupManagers").resize_unary(**GROUP, size=4)
    assert (
        machines_of(client)
        == [("us-central1-a", "g2-standard-8")] * 2 + [("us-central1-b", "g2-standard-8")] * 2
    )
    (one, *_) = client("Instances").list(**ZONE)
    assert dict(one.labels) == given.LABELS
    assert one.scheduling.provisioning_model == "SPOT"


def test_flexible_group_takes_the_next_machine_type_when_the_best_is_not_to_be_had(
    world: World, client: Any, group: Any
) -> None:
    world.faults.add(
        Fault(
            FaultKind.STOCK_OUT,
            cloud="gcp",
            target="compute:Instances.Insert/*/g2-standard-8",
            count=None,
        )
    )
    client("RegionInstanceGroupManagers").resize_unary(**GROUP, size=2)
    assert machines_of(client) == [
        ("us-central1-a", "g2-standard-12"),
        ("us-central1-b", "g2-standard-12"),
    ]


def test_group_without_room_is_short_says_why_and_fills_up_later(
    world: World, client: Any, group: Any
) -> None:
    world.faults.add(
        Fault(FaultKind.STOCK_OUT, cloud="gcp", target="compute:Instances.Insert/*", count=None)
    )
    groups = client("RegionInstanceGroupManagers")
    groups.resize_unary(**GROUP, size=2)
    shown = groups.get(**GROUP)
    assert shown.target_size == 2
    assert shown.status.is_stable is False
    assert (shown.current_actions.none, shown.current_actions.creating) == (0, 2)
    listed = list(groups.list_managed_instances(**GROUP))
    assert [item.current_action for item in listed] == ["CREATING", "CREATING"]
    assert listed[0].last_attempt.errors.errors[0].code == "ZONE_RESOURCE_POOL_EXHAUSTED"
    world.faults.clear()
    assert groups.get(**GROUP).status.is_stable is True
    assert len(machines_of(client)) == 2


def test_stock_out_fails_the_resize_and_not_the_call(world: World, client: Any, group: Any) -> None:
    world.faults.add(
        Fault(FaultKind.STOCK_OUT, cloud="gcp", target="compute:InstanceGroupManagers.Resize")
    )
    groups = client("RegionInstanceGroupManagers")
    operation = groups.resize_unary(**GROUP, size=3)
    assert operation.error.errors[0].code == "ZONE_RESOURCE_POOL_EXHAUSTED"
    assert groups.get(**GROUP).target_size == 0


def test_even_group_keeps_its_zones_even_up_and_down(engine: Any, client: Any) -> None:
    inputs = {
        "name": "even",
        "baseInstanceName": "even",
        "region": "us-central1",
        "versions": [{"instanceTemplate": given.TEMPLATE_NAME}],
        "targetSize": 5,
    }
    engine.up(given.GROUP, inputs, "even")
    zones = ["us-central1-a", "us-central1-b", "us-central1-c"]
    counted = [zone for zone, _ in machines_of(client)]
    assert [counted.count(zone) for zone in zones] == [2, 2, 1]
    client("RegionInstanceGroupManagers").resize_unary(
        **REGION, instance_group_manager="even", size=3
    )
    assert [zone for zone, _ in machines_of(client)] == zones


def test_sdk_deletes_and_recreates_chosen_instances(client: Any, group: Any) -> None:
    groups = client("RegionInstanceGroupManagers")
    groups.resize_unary(**GROUP, size=2)
    before = {item.name: item.id for item in groups.list_managed_instances(**GROUP)}
    first, second = sorted(before)
    urls = {item.name: item.instance for item in groups.list_managed_instances(**GROUP)}
    groups.recreate_instances_unary(
        **GROUP,
        region_instance_group_managers_recreate_request_resource={"instances": [urls[first]]},
    )
    again = {item.name: item.id for item in groups.list_managed_instances(**GROUP)}
    assert again.keys() == before.keys()
    assert (again[first] != before[first], again[second] == before[second]) == (True, True)
    groups.delete_instances_unary(
        **GROUP,
        region_instance_group_managers_delete_instances_request_resource={
            "instances": [urls[second]]
        },
    )
    assert [item.name for item in groups.list_managed_instances(**GROUP)] == [first]
    assert groups.get(**GROUP).target_size == 1


def test_proactive_group_starts_anew_on_another_template(engine: Any, client: Any) -> None:
    engine.up(*given.EVERY_KIND["global-template"], "plain")
    inputs = {
        **given.EVERY_KIND["zone-group"][1],
        "updatePolicy": {"type": "PROACTIVE", "minimalAction": "REPLACE"},
    }
    made = engine.up(given.ZONE_GROUP, inputs, "pair")
    plain = f"projects/{given.PROJECT}/global/instanceTemplates/plain"
    engine.change(
        given.ZONE_GROUP, made, {**inputs, "versions": [{"instanceTemplate": plain}]}, "pair"
    )
    assert machines_of(client) == [("us-central1-a", "n2-standard-8")] * 2


def test_zonal_group_is_made_changed_and_deleted_by_the_sdk(engine: Any, client: Any) -> None:
    groups = client("InstanceGroupManagers")
    template = f"{URL}/regions/us-central1/instanceTemplates/spot"
    resource = {"name": "by-hand", "instance_template": template, "target_size": 1}
    groups.insert_unary(**ZONE, instance_group_manager_resource=resource)
    where = {**ZONE, "instance_group_manager": "by-hand"}
    assert groups.get(**where).base_instance_name == "by-hand"
    groups.patch_unary(**where, instance_group_manager_resource={"target_size": 2})
    assert len(list(groups.list_managed_instances(**where))) == 2
    templates = client("RegionInstanceTemplates")
    with pytest.raises(exceptions.BadRequest, match="already being used by"):
        templates.delete_unary(**REGION, instance_template="spot")
    groups.delete_unary(**where)
    assert machines_of(client) == []
    templates.delete_unary(**REGION, instance_template="spot")
    with pytest.raises(exceptions.NotFound):
        templates.get(**REGION, instance_template="spot")


def test_sdk_is_refused_a_group_of_an_absent_template(client: Any) -> None:
    resource = {"name": "x", "versions": [{"instance_template": "global/instanceTemplates/no"}]}
    with pytest.raises(exceptions.NotFound, match="was not found"):
        client("InstanceGroupManagers").insert_unary(
            **ZONE, instance_group_manager_resource=resource
        )


def test_policies_are_read_back_whole(engine: Any, client: Any) -> None:
    engine.up(*given.EVERY_KIND["policy"], "policy")
    engine.up(*given.EVERY_KIND["snapshots"], "snapshots")
    policies = client("ResourcePolicies")
    tight = policies.get(**REGION, resource_policy="tight")
    assert tight.group_placement_policy.collocation == "COLLOCATED"
    assert tight.group_placement_policy.vm_count == 4
    nightly = policies.get(**REGION, resource_policy="nightly").snapshot_schedule_policy
    assert nightly.schedule.daily_schedule.start_time == "04:00"
    assert nightly.retention_policy.max_retention_days == 7
    assert dict(nightly.snapshot_properties.labels) == given.LABELS
    assert list(nightly.snapshot_properties.storage_locations) == ["eu"]
    assert [policy.name for policy in policies.list(**REGION)] == ["nightly", "tight"]


def test_commitment_is_read_back_whole_and_outlives_its_resource(engine: Any, client: Any) -> None:
    made = engine.up(given.COMMITMENT, given.COMMITTED)
    commitments = client("RegionCommitments")
    shown = commitments.get(**REGION, commitment="base")
    assert (shown.plan, shown.type_, shown.category, shown.status) == (
        "TWELVE_MONTH",
        "ACCELERATOR_OPTIMIZED",
        "MACHINE",
        "ACTIVE",
    )
    assert [(item.type_, item.amount, item.accelerator_type) for item in shown.resources] == [
        ("VCPU", 24, ""),
        ("MEMORY", 174080, ""),
        ("ACCELERATOR", 2, "nvidia-tesla-a100"),
    ]
    assert list(shown.existing_reservations) == [given.COMMITTED["existingReservations"]]
    assert int(shown.end_timestamp[:4]) == int(shown.start_timestamp[:4]) + 1
    engine.destroy(given.COMMITMENT, made)
    assert commitments.get(**REGION, commitment="base").status == "ACTIVE"


def test_sdk_changes_of_a_commitment_its_renewal_and_nothing_else(engine: Any, client: Any) -> None:
    made = engine.up(given.COMMITMENT, {**given.COMMITTED, "autoRenew": False})
    commitments = client("RegionCommitments")
    commitments.update_unary(**REGION, commitment="base", commitment_resource={"auto_renew": True})
    assert engine.refresh(given.COMMITMENT, made) == {**made.inputs, "autoRenew": True}
    with pytest.raises(exceptions.BadRequest, match="Only autoRenew and plan"):
        commitments.update_unary(
            **REGION, commitment="base", commitment_resource={"description": "x"}
        )


def test_future_reservation_is_drafted_submitted_and_cancelled(engine: Any, client: Any) -> None:
    token, inputs = given.EVERY_KIND["future"]
    made = engine.up(token, inputs, "future")
    futures = client("FutureReservations")
    where = {**ZONE, "future_reservation": "summer"}
    shown = futures.get(**where)
    assert shown.planning_status == "DRAFT"
    assert shown.status.procurement_status == "DRAFTING"
    assert shown.specific_sku_properties.total_count == 8
    assert shown.specific_sku_properties.instance_properties.machine_type == "a2-highgpu-1g"
    assert shown.time_window.end_time == "2027-07-01T00:00:00Z"
    assert dict(shown.share_settings.project_map)["other"].project_id == "other"
    with pytest.raises(exceptions.BadRequest, match="is a draft"):
        futures.cancel_unary(**where)
    sent = engine.change(token, made, {**inputs, "planningStatus": "SUBMITTED"}, "future")
    assert sent.outputs["statuses"][0]["procurementStatus"] == "PENDING_APPROVAL"
    with pytest.raises(exceptions.BadRequest, match="cannot be a draft again"):
        futures.update_unary(**where, future_reservation_resource={"planning_status": "DRAFT"})
    futures.cancel_unary(**where)
    assert futures.get(**where).status.procurement_status == "CANCELLED"


def test_every_kind_of_a_project_is_listed_over_its_places(engine: Any, client: Any) -> None:
    engine.up(given.COMMITMENT, given.COMMITTED)
    engine.up(*given.EVERY_KIND["global-template"], "plain")
    templates = dict(client("InstanceTemplates").aggregated_list(project=given.PROJECT))
    assert [item.name for item in templates["global"].instance_templates] == ["plain"]
    assert [item.name for item in templates["regions/us-central1"].instance_templates] == ["spot"]
    commitments = dict(client("RegionCommitments").aggregated_list(project=given.PROJECT))
    assert [item.name for item in commitments["regions/us-central1"].commitments] == ["base"]
