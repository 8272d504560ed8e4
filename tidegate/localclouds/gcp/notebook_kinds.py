"""Workbench instances: data, rules, and how they start and stop.

Sources: the property descriptions of pulumi-gcp 10.2.0, the discovery document notebooks.v2, and
GoogleCloudPlatform/magic-modules, mmv1/products/workbench/Instance.yaml (all 2026-11-30).
"""

# ruff: noqa: ARG001 - behaviours and what completes a body have one signature for all

from __future__ import annotations

import re
from collections.abc import Iterator

from tidegate.localclouds.bodies import Body, fill_defaults, look
from tidegate.localclouds.contracts import Call, CheckFailure, Values, World
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.ai_kinds import ALL, check_pair
from tidegate.localclouds.gcp.collection_face import CollectionFace
from tidegate.localclouds.gcp.collection_shelf import Collections, touch
from tidegate.localclouds.gcp.collection_types import CollectionType
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.kind import Kind, Reference, Rest
from tidegate.localclouds.gcp.kind_rules import (
    exclusive_rule,
    items_rule,
    name_rule,
    range_rule,
)
from tidegate.localclouds.gcp.references import find_account, find_network, find_subnetwork
from tidegate.localclouds.rest_shape import Field, Shape
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf
from tidegate.localclouds.store import Record

NOTEBOOK = "notebooks.googleapis.com/Instance"
STATES = ("ACTIVE", "STOPPED")
DATA_DISKS = (10, 64000)


def _check_notebook(body: Body) -> Iterator[CheckFailure]:
    machine = look(body, "gceSetup.machineType")
    if isinstance(machine, str):
        for reason in machines.check_machine(names.last_part(machine), []):
            yield CheckFailure("gceSetup.machineType", reason)
    configs = look(body, "gceSetup.acceleratorConfigs")
    for index, config in enumerate(configs if isinstance(configs, list) else []):
        count = look(config, "coreCount")
        number = int(count) if isinstance(count, str) and count.isdigit() else count
        for reason in check_pair(machine, look(config, "type"), number):
            yield CheckFailure(f"gceSetup.acceleratorConfigs[{index}]", reason)
    idle = look(body, "gceSetup.metadata.idle-timeout-seconds")
    if isinstance(idle, str) and not re.fullmatch(r"\d*", idle):
        yield CheckFailure(
            "gceSetup.metadata.idle-timeout-seconds", f"'{idle}' is no number of seconds."
        )


def _fill_notebook(name: str, body: Body) -> None:
    touch(name, body)
    _, project, _, location, _, short = name.split("/")
    number = names.project_number(project)
    account = f"{number}-compute@developer.gserviceaccount.com"
    network = f"projects/{project}/global/networks/default"
    fill_defaults(
        body,
        {
            "creator": "local",
            "gceSetup": {
                "bootDisk": {
                    "diskEncryption": "GMEK",
                    "diskSizeGb": "150",
                    "diskType": "PD_BALANCED",
                },
                "machineType": "n1-standard-4",
                "networkInterfaces": [{"network": network}],
                "serviceAccounts": [{"email": account}],
            },
            "healthState": "HEALTHY",
            "id": names.number_of(name),
            "labels": {},
            "proxyUri": f"{short}-dot-{location}.notebooks.googleusercontent.com",
            "state": "ACTIVE",
        },
    )


def _protects(shelf: Shelf, name: str) -> str:
    body = shelf.get(NOTEBOOK, name) or {}
    return "enable_deletion_protection" if body.get("enableDeletionProtection") else ""


def _show_notebook(name: str, body: Body) -> Values:
    return {"healthInfos": [], "upgradeHistories": []}


_GCE_SETUP = Shape(
    fields={"computeInstanceId": Field("instanceId"), "dataDisks": Field(listed=True)}
)

NOTEBOOK_KIND = Kind(
    pulumi="gcp:workbench/instance:Instance",
    name=NOTEBOOK,
    path="projects/{project}/locations/{location}/instances/{name}",
    shape=Shape(
        fields={"gceSetup": Field(shape=_GCE_SETUP)},
        provider_only=frozenset({"desiredState", "instanceId"}),
        rest_only=frozenset({"healthInfo", "id", "upgradeHistory"}),
    ),
    rest=Rest("v2", "instances", id_at="?instanceId", waits=ALL),
    rules=(
        name_rule(
            r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?",
            "at most 63 lowercase letters, digits and dashes, starting with a letter",
        ),
        _check_notebook,
        exclusive_rule("gceSetup.vmImage", "gceSetup.containerImage"),
        items_rule("gceSetup.acceleratorConfigs", 1),
        items_rule("gceSetup.networkInterfaces", 1),
        items_rule("gceSetup.serviceAccounts", 1),
        items_rule("instanceOwners", 1),
        range_rule("gceSetup.bootDisk.diskSizeGb", *DATA_DISKS),
        range_rule("gceSetup.dataDisks[].diskSizeGb", *DATA_DISKS),
    ),
    references=(
        Reference("gceSetup.networkInterfaces[].network", find_network),
        Reference("gceSetup.networkInterfaces[].subnet", find_subnetwork),
        Reference("gceSetup.serviceAccounts[].email", find_account),
    ),
    fill=_fill_notebook,
    in_use=_protects,
    labels=("labels",),
    outputs=_show_notebook,
    zonal=True,
)


class NotebookType(CollectionType):
    """`gcp:workbench/instance:Instance`: `desiredState` starts and stops it."""

    def __init__(self, collections: Collections) -> None:
        super().__init__(collections, NOTEBOOK_KIND)

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Workbench and the provider refuse."""
        yield from super().judge(body, inputs, call)
        state = inputs.get("desiredState")
        if isinstance(state, str) and state not in STATES:
            yield CheckFailure("desiredState", f"Invalid state '{state}': ACTIVE or STOPPED.")

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it, and stop it when that was asked for."""
        return super().insert(name, {**body, **_state(inputs)}, inputs, call)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change it; a changed desired state starts or stops it."""
        outputs = super().update(record, old, new, call)
        if old.get("desiredState") != new.get("desiredState") and _state(new):
            body = self.save(record.id, {**self.load(record.id), **_state(new)})
            outputs = self._show(record.id, body, new, call)
        return outputs


def _state(inputs: Values) -> Values:
    state = inputs.get("desiredState")
    return {"state": state} if state else {}


class Notebooks:
    """Starts and stops Workbench instances."""

    def __init__(self, world: World, collections: Collections, face: CollectionFace) -> None:
        self._world = world
        self._collections = collections
        self._face = face

    def routes(self) -> list[Route]:
        """Return what the API answers of an instance's state."""
        one = "/v2/projects/{project}/locations/{location}/instances/{instance}"
        return [
            Route("POST", f"{one}:start", self._answer),
            Route("POST", f"{one}:stop", self._answer),
            Route("POST", f"{one}:reset", self._answer),
        ]

    def _answer(self, asked: Asked, **_: str) -> Answer:
        name, _mark, verb = asked.path.removeprefix("/v2/").partition(":")
        take_faults(self._world, f"notebooks:Instance.{verb}", grows=verb == "start")
        body = self._collections.get(NOTEBOOK_KIND, name)
        body["state"] = "STOPPED" if verb == "stop" else "ACTIVE"
        return Answer(self._face.finish(name, self._collections.save(NOTEBOOK_KIND, name, body)))
