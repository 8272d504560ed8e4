"""The way into a table of Log Analytics: a data collection endpoint and rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.telemetry.columns import COLUMNS
from tidegate_components.telemetry.spec import StreamSpec
from tidegate_components.telemetry.thinning import render_kql

with narrow_imports("pulumi_azure_native.monitor"):
    from pulumi_azure_native.monitor.data_collection_endpoint import DataCollectionEndpoint
    from pulumi_azure_native.monitor.data_collection_rule import DataCollectionRule

if TYPE_CHECKING:
    from pulumi_azure_native.operationalinsights.table import Table
    from pulumi_azure_native.operationalinsights.workspace import Workspace

DESTINATION = "stream"


def declare_ingestion(
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
