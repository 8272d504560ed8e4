"""What Log Analytics refuses, said of the REST body.

Sources: days of tables as the property descriptions of pulumi-azure-native 3.29.0 have them, the
steps beyond two years as hashicorp/terraform-provider-azurerm accepts them, 30 to 730 days of
workspaces as Microsoft Learn has them ("Data retention and archive in Azure Monitor Logs", stored
copy); read on 2026-11-30. The rest is general vendor documentation, not verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure

Body = Mapping[str, Any]

WORKSPACE_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9]{2,61}[A-Za-z0-9]")
TABLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,62}")
WORKSPACE_DAYS = (30, 730)
INTERACTIVE_DAYS = (4, 730)
# Total retention: any day up to two years, then these steps.
LONG_STEPS = (1095, 1460, 1826, 2191, 2556, 2922, 3288, 3653, 4018, 4383)
MINIMUM_DAILY_GB = 0.023
# Tables that Azure itself makes and this local cloud knows; others end in _CL, _SRCH or _RST.
STANDARD_TABLES = frozenset(
    {
        "AppDependencies", "AppEvents", "AppExceptions", "AppMetrics", "AppRequests", "AppTraces",
        "AzureActivity", "AzureDiagnostics", "AzureMetrics", "AKSAudit", "AKSAuditAdmin",
        "AKSControlPlane", "ContainerInventory", "ContainerLog", "ContainerLogV2",
        "ContainerNodeInventory", "Event", "Heartbeat", "InsightsMetrics", "KubeEvents",
        "KubeHealth", "KubeMonAgentEvents", "KubeNodeInventory", "KubePodInventory",
        "KubeServices", "Operation", "Perf", "StorageBlobLogs", "Syslog", "Usage",
    }
)  # fmt: skip
CUSTOM_SUFFIXES = ("_CL", "_SRCH", "_RST")


def check_workspace(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a workspace."""
    if isinstance(name, str) and not WORKSPACE_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"Workspace name '{name}' is not valid: 4 to 63 letters, digits and dashes, starting "
            "and ending with a letter or digit.",
        )
    low, high = WORKSPACE_DAYS
    days, sku = look(body, "properties.retentionInDays"), look(body, "properties.sku.name")
    if isinstance(days, int):
        lowest = 7 if sku == "Free" else low
        if not lowest <= days <= high:
            yield CheckFailure(
                "properties.retentionInDays",
                f"'RetentionInDays' property doesn't match the SKU limits: {days} is not in "
                f"{lowest} to {high} days.",
            )
    quota = look(body, "properties.workspaceCapping.dailyQuotaGb")
    if isinstance(quota, int | float) and quota != -1 and quota < MINIMUM_DAILY_GB:
        yield CheckFailure(
            "properties.workspaceCapping.dailyQuotaGb",
            f"dailyQuotaGb is -1 (no cap) or at least {MINIMUM_DAILY_GB}, got {quota}.",
        )


def check_table(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a table."""
    properties = body.get("properties") or {}
    if isinstance(name, str):
        yield from _check_table_name(name, properties)
    interactive, total = (properties.get(w) for w in ("retentionInDays", "totalRetentionInDays"))
    low, high = INTERACTIVE_DAYS
    if isinstance(interactive, int) and interactive != -1 and not low <= interactive <= high:
        yield CheckFailure(
            "properties.retentionInDays",
            f"Retention of {interactive} days is not -1 or in {low} to {high}.",
        )
    if isinstance(total, int) and total != -1:
        if not low <= total <= high and total not in LONG_STEPS:
            steps = ", ".join(str(step) for step in LONG_STEPS)
            yield CheckFailure(
                "properties.totalRetentionInDays",
                f"Total retention of {total} days is not -1, in {low} to {high}, or one of "
                f"{steps}.",
            )
        elif isinstance(interactive, int) and total < interactive:
            yield CheckFailure(
                "properties.totalRetentionInDays",
                f"Total retention of {total} days is shorter than retentionInDays {interactive}.",
            )


def _check_table_name(name: str, properties: Body) -> Iterator[CheckFailure]:
    custom = name.endswith(CUSTOM_SUFFIXES)
    if not TABLE_NAME.fullmatch(name) or (not custom and name not in STANDARD_TABLES):
        yield CheckFailure(
            "name",
            f"Table '{name}' is no table of Azure; a custom table's name ends with _CL.",
        )
        return
    if name.endswith("_CL"):
        columns = look(properties, "schema.columns")
        if columns is None:
            yield CheckFailure(
                "properties.schema", f"Custom table '{name}' needs a schema with columns."
            )
        elif isinstance(columns, list) and not any(
            look(column, "name") == "TimeGenerated" for column in columns
        ):
            yield CheckFailure(
                "properties.schema.columns", "A custom table needs a column TimeGenerated."
            )
