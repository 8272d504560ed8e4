"""A telemetry stream on Log Analytics: a workspace with one custom table."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate_components.children import child_options
from tidegate_components.names import LOG_WORKSPACE, derive_name
from tidegate_components.sdk_imports import narrow_imports
from tidegate_components.telemetry.spec import StreamSpec
from tidegate_components.telemetry.thinning import render_kql

with narrow_imports("pulumi_azure_native.monitor"):
    from pulumi_azure_native.monitor.data_collection_endpoint import DataCollectionEndpoint
    from pulumi_azure_native.monitor.data_collection_rule import DataCollectionRule
with narrow_imports("pulumi_azure_native.operationalinsights"):
    from pulumi_azure_native.operationalinsights.table import Table
    from pulumi_azure_native.operationalinsights.workspace import Workspace

COLUMNS = (
    ("TimeGenerated", "dateTime"),
    ("CapacityPool", "string"),
    ("RunId", "string"),
    ("Message", "string"),
    ("SeverityNumber", "int"),
    ("Attributes", "dynamic"),
)
DESTINATION = "stream"


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
        opts=child_options(parent, opts, Workspace, retain_on_delete=retain),
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
        endpoint, rule = _declare_ingestion(parent, spec, (workspace, table), group, opts)
        identifiers["dataCollectionEndpoint"] = endpoint.name
        identifiers["dataCollectionRule"] = rule.name
        identifiers["dataCollectionRuleId"] = rule.immutable_id
    return identifiers


def _declare_ingestion(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    target: tuple[Workspace, Table],
    group: pulumi.Input[str],
    opts: pulumi.ResourceOptions | None,
) -> tuple[DataCollectionEndpoint, DataCollectionRule]:
    """Declare the way in, which drops what is excluded; it has no function for a sample."""
    stream = f"Custom-{spec.table_name}"
    columns: Any = [
        {"name": name, "type": "datetime" if kind == "dateTime" else kind} for name, kind in COLUMNS
    ]
    flow: Any = {
        "streams": [stream],
        "destinations": [DESTINATION],
        "transform_kql": render_kql(spec.exclusions),
        "output_stream": stream,
    }
    workspace, table = target
    into: Any = {"name": DESTINATION, "workspace_resource_id": workspace.id}
    endpoint = DataCollectionEndpoint(
        spec.id,
        resource_group_name=group,
        location=spec.region,
        network_acls={"public_network_access": "Enabled"},
        description=spec.description,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, DataCollectionEndpoint),
    )
    return endpoint, DataCollectionRule(
        spec.id,
        resource_group_name=group,
        location=spec.region,
        data_collection_endpoint_id=endpoint.id,
        description=spec.description,
        stream_declarations={stream: {"columns": columns}},
        data_flows=[flow],
        destinations={"log_analytics": [into]},
        tags=spec.cost_labels,
        # The rule names the table, which has to be there.
        opts=child_options(parent, opts, DataCollectionRule, depends_on=[table]),
    )
