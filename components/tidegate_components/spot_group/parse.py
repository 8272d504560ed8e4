"""From the arguments of a spot group to its specification, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Checkpoint, DisruptionBudget, Schedule, Window
from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.entries import check_entry, read_entries, read_workload_classes
from tidegate_components.names import check_identifier
from tidegate_components.node_pools import args as pools
from tidegate_components.spot_group import args as shapes
from tidegate_components.spot_group.choices import read_choices
from tidegate_components.spot_group.hardware import check_number, parse_machines
from tidegate_components.spot_group.spec import SpotSpec
from tidegate_components.spot_group.strategies import read_strategy


def parse_spot_group(name: str, raw: Mapping[str, Any], catalog: Catalog) -> SpotSpec:
    """Return the spot group that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"pool {name}", raw, shapes.SpotGroupArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    region, zones = read.text("region"), read.texts("zones")
    machines = parse_machines(read, cloud, catalog, (region, zones))
    aws, gcp, azure = read_choices(read, machines)
    _refuse_other_clouds(read, cloud)
    labels = read.cost_labels()
    budget = read_entries(read, "disruption_budget", pools.DisruptionBudgetArgs, DisruptionBudget)
    checkpoint = read_entries(read, "checkpoint", pools.CheckpointArgs, Checkpoint)
    windows = read_entries(read, "windows", pools.WindowArgs, Window)
    schedules = read_entries(read, "schedules", pools.ScheduleArgs, Schedule)
    bounds = _read_bounds(read)
    _check_scaler(read)
    if machines is None:
        raise InvalidInput(read.problems)
    types = len(machines.instance_types)
    check_number(read, cloud, types, fleet=azure.fleet)
    spec = SpotSpec(
        id=name,
        cloud=cloud,
        region=region,
        account=read.text("account", ""),
        zones=zones,
        machines=machines,
        disk_gib=read.whole("disk_gib", 100, minimum=10),
        **bounds,
        allocation_strategy=read_strategy(read, cloud, types, fleet=azure.fleet),
        declared_nodes=read.decimal("declared_nodes"),
        boot_seconds=read.whole("boot_seconds", 180),
        labels=labels,
        priority=read.whole("priority", 0),
        workload_classes=read_workload_classes(read, labels),
        service_level=read.text("service_level", ""),
        disruption_budget=budget[0] if budget else DisruptionBudget(max_unavailable_nodes=1),
        windows=tuple(windows),
        schedules=tuple(schedules),
        checkpoint=checkpoint[0] if checkpoint else None,
        aws=aws,
        gcp=gcp,
        azure=azure,
    )
    read.finish()
    check_entry(read, spec.to_pool())
    read.finish()
    return spec


def _read_bounds(read: Arguments) -> dict[str, int]:
    """Return sizes and shares by the names of the specification's fields."""
    bounds = {
        "min_nodes": read.whole("min_nodes", 0),
        "max_nodes": read.whole("max_nodes", minimum=1),
        "on_demand_base_nodes": read.whole("on_demand_base_nodes", 0),
        # Sent always: left out, AWS takes 100, and buys no spot machine at all.
        "on_demand_percent_above_base": read.whole("on_demand_percent_above_base", 0),
    }
    percent = bounds["on_demand_percent_above_base"]
    if percent >= 100:
        reason = "leaves no spot machine" if percent == 100 else "is no share"
        expected = "0 to 99; a pool that is all on demand is no spot group"
        read.refuse("on_demand_percent_above_base", percent, reason, expected)
        bounds["on_demand_percent_above_base"] = 0
    if bounds["on_demand_base_nodes"] == bounds["max_nodes"]:
        reason = f"leaves no spot machine below max_nodes {bounds['max_nodes']}"
        value = bounds["on_demand_base_nodes"]
        read.refuse("on_demand_base_nodes", value, reason, "fewer than max_nodes")
    return bounds


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for each in Cloud:
        if each is not cloud and read.has(each.value):
            reason = f"concerns {each.value}, and the group is in {cloud.value}"
            read.refuse(each.value, None, reason, "leave it out")


def _check_scaler(read: Arguments) -> None:
    scaler = read.choice("scaler", Scaler)
    # A scaler that is not known was refused already, and read as another.
    if read.input("scaler") == scaler.value and scaler is not Scaler.TIDEGATE:
        reason = {
            Scaler.PROVIDER: "needs a scaling policy, which a spot group does not declare",
            Scaler.CLUSTER_AUTOSCALER: "resizes Kubernetes nodes, and these join no cluster",
            Scaler.KARPENTER: "makes Kubernetes nodes of its own, and resizes no group",
        }[scaler]
        read.refuse("scaler", scaler.value, reason, "tidegate")
