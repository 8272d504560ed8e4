"""A telemetry stream on Log Analytics: a workspace with one custom table."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import LOG_WORKSPACE, derive_name
from tidegate_components.telemetry.columns import COLUMNS
from tidegate_components.telemetry.spec import StreamSpec

with narrow_imports("pulumi_azure_native.operationalinsights"):
    from pulumi_azure_native.operationalinsights.table import Table
    from pulumi_azure_native.operationalinsights.workspace import Workspace


def declare(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare workspace, table and the way in; return their cloud identifiers."""
    group = inputs["resource_group_name"]
    retain = True if spec.keep_on_delete else None
    workspace = Workspace(
        derive_name(spec.id, LOG_WORKSPACE),
        resource_group_name=group,
        location=spec.region,
        sku={"name": "PerGB2018"},
        retention_in_days=spec.interactive_days,
        workspace_capping=(
            {"daily_quota_gb": float(spec.daily_quota_gib)} if spec.daily_quota_gib else None
        ),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Workspace, retain_on_delete=retain, named=LOG_WORKSPACE),
    )
    basic = spec.log_class == "Basic"
    columns = [{"name": name, "type": kind} for name, kind in COLUMNS]
    schema: Any = {"name": spec.table_name, "columns": columns}
    table = Table(
        spec.id,
        table_name=spec.table_name,
        workspace_name=workspace.name,
        resource_group_name=group,
        plan=spec.log_class,
        # The interactive retention of a Basic table is fixed and refused when sent.
        retention_in_days=None if basic else spec.interactive_days,
        total_retention_in_days=spec.retention_days,
        schema=schema,
        opts=child_options(parent, opts, Table, retain_on_delete=retain),
    )
    identifiers: dict[str, pulumi.Input[str]] = {
        "workspace": workspace.name,
        "workspaceId": workspace.customer_id,
        "table": table.name,
        "resourceGroup": group,
        "region": spec.region,
    }
    if spec.ingestion_rule:
        # Another SDK module, loaded only for streams that have a way in of their own.
        from tidegate_components.telemetry.azure_ingestion import declare_ingestion

        endpoint, rule = declare_ingestion(parent, spec, (workspace, table), group, opts)
        identifiers["dataCollectionEndpoint"] = endpoint.name
        identifiers["dataCollectionRule"] = rule.name
        identifiers["dataCollectionRuleId"] = rule.immutable_id
    return identifiers
