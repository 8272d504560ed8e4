"""Spot instances that Google takes back: on command, and by the fault `interruption`.

A preempted instance is logged as Compute Engine's audit log has it, so that a log sink can tell a
topic; its group then starts it again, when there is room. The entry's form: general vendor
documentation (Compute Engine, "Preemptible VM instances"; Cloud Audit Logs), not verified.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import World
from tidegate.localclouds.faults import FaultKind
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.compute import Compute
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.instance_groups import INSTANCE
from tidegate.localclouds.gcp.log_entries import LogEntries

METHOD = "compute.instances.preempted"
OTHER_FAULTS = frozenset(FaultKind) - {FaultKind.INTERRUPTION}


class Preemptions:
    """Takes spot and preemptible instances away."""

    def __init__(self, world: World, compute: Compute, entries: LogEntries) -> None:
        self._world = world
        self._compute = compute
        self._entries = entries

    def is_preemptible(self, instance: Mapping[str, Any]) -> bool:
        """Tell whether Google may take an instance back at any time."""
        model = look(instance, "scheduling.provisioningModel")
        return model == "SPOT" or look(instance, "scheduling.preemptible") is True

    def run_faults(self) -> None:
        """Preempt what the faults in force hit: one instance for each of their counts.

        A fault's target is a glob over "compute:Instances.Preempt/<full name of the instance>".
        """
        kinds = (fault.kind for fault in self._world.faults.list() if fault.cloud in ("gcp", "*"))
        if FaultKind.INTERRUPTION not in kinds:
            return
        for name, instance in self._compute.shelf.items(INSTANCE):
            if self.is_preemptible(instance) and self._world.faults.take(
                "gcp", f"compute:Instances.Preempt/{name}", OTHER_FAULTS
            ):
                self.preempt(name)

    def preempt(self, name: str) -> None:
        """Take an instance away, log it, and let its group repair itself.

        Args:
            name: "projects/p/zones/z/instances/i".
        """
        instance = self._compute.get(INSTANCE, name)
        if not self.is_preemptible(instance):
            raise invalid(f"The instance '{name}' is neither a spot nor a preemptible one.")
        _, project, _, zone = name.split("/")[:4]
        with self._compute.shelf.transaction():
            operation = self._compute.record_operation(
                f"projects/{project}/zones/{zone}", METHOD, name
            )
            self._entries.write(project, build_entry(name, instance, operation))
            self._compute.groups.lose_instance(instance["group"], instance)


def build_entry(name: str, instance: Mapping[str, Any], operation: Mapping[str, Any]) -> Body:
    """Return the system event of a preemption, as the audit log has it."""
    _, project, _, zone = name.split("/")[:4]
    return {
        "insertId": secrets.token_hex(8),
        "logName": f"projects/{project}/logs/cloudaudit.googleapis.com%2Fsystem_event",
        "operation": {
            "first": True,
            "id": operation["name"],
            "last": True,
            "producer": METHOD,
        },
        "protoPayload": {
            "@type": "type.googleapis.com/google.cloud.audit.AuditLog",
            "authenticationInfo": {"principalEmail": "system@google.com"},
            "methodName": METHOD,
            "request": {"@type": f"type.googleapis.com/{METHOD}"},
            "resourceName": name,
            "serviceName": "compute.googleapis.com",
            "status": {"message": "Instance was preempted."},
        },
        "resource": {
            "labels": {"instance_id": instance["id"], "project_id": project, "zone": zone},
            "type": "gce_instance",
        },
        "severity": "INFO",
        "timestamp": names.now(),
    }
