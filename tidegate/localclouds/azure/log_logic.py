"""Log Analytics: what its types fill in and refuse."""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now
from tidegate.localclouds.azure.kinds import (
    TABLE,
)
from tidegate.localclouds.azure.log_rules import STANDARD_TABLES
from tidegate.localclouds.bodies import Body, fill_defaults, look

DEFAULT_TABLE_DAYS = 30


class WorkspaceLogic(Logic):
    """`Microsoft.OperationalInsights/workspaces`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Fill the workspace in."""
        properties = body["properties"]
        time = now()
        fill_defaults(
            properties,
            {
                "createdDate": time,
                "customerId": identify(str(id)),
                "features": {"enableLogAccessUsingOnlyResourcePermissions": True},
                "publicNetworkAccessForIngestion": "Enabled",
                "publicNetworkAccessForQuery": "Enabled",
                "retentionInDays": 30,
                "sku": {"name": "PerGB2018"},
                "workspaceCapping": {"dailyQuotaGb": -1},
            },
        )
        properties["modifiedDate"] = time
        del arm, old


class TableLogic(Logic):
    """`…/workspaces/tables`: Azure's own tables are always there."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Fill the table in from its workspace; what followed it goes on doing so."""
        properties = body["properties"]
        before = old["properties"] if old else {}
        for word in ("retentionInDays", "totalRetentionInDays"):
            if before.get(f"{word}AsDefault") and properties.get(word) == before.get(word):
                properties[word] = -1
        _fill_table(arm, id, properties)

    def implied(self, arm: Arm, id: ArmId) -> Body | None:
        """Return an untouched table of Azure's own."""
        if id.name not in STANDARD_TABLES or arm.find(id.parent()) is None:
            return None
        properties: Body = {"provisioningState": "Succeeded"}
        _fill_table(arm, id, properties)
        return {"id": str(id), "name": id.name, "type": TABLE.type, "properties": properties}

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Refuse to delete a table of Azure's own."""
        del arm, body
        if id.name in STANDARD_TABLES:
            raise refused("InvalidOperation", f"Table '{id.name}' cannot be deleted.")


def _fill_table(arm: Arm, id: ArmId, properties: Body) -> None:
    workspace = arm.find(id.parent()) or {}
    default = look(workspace, "properties.retentionInDays") or DEFAULT_TABLE_DAYS
    properties.setdefault("plan", "Analytics")
    interactive = properties.get("retentionInDays")
    is_default = interactive in (None, -1)
    if properties["plan"] != "Analytics":
        default, is_default = DEFAULT_TABLE_DAYS, True
    properties["retentionInDays"] = default if is_default else interactive
    properties["retentionInDaysAsDefault"] = is_default
    total = properties.get("totalRetentionInDays")
    total_default = total in (None, -1)
    properties["totalRetentionInDays"] = properties["retentionInDays"] if total_default else total
    properties["totalRetentionInDaysAsDefault"] = total_default
    properties["archiveRetentionInDays"] = (
        properties["totalRetentionInDays"] - properties["retentionInDays"]
    )
