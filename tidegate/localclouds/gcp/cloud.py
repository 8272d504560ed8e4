"""Google Cloud as the server runs it: the types, the face, and what all types share."""

from __future__ import annotations

from tidegate.localclouds.contracts import Call, Cloud, Values, World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.accounts import Accounts
from tidegate.localclouds.gcp.compute import Compute
from tidegate.localclouds.gcp.compute_face import ComputeFace
from tidegate.localclouds.gcp.compute_types import NetworkType, ReservationType, SubnetworkType
from tidegate.localclouds.gcp.errors import absent_route, render_error
from tidegate.localclouds.gcp.gke import Gke
from tidegate.localclouds.gcp.gke_face import GkeFace
from tidegate.localclouds.gcp.gke_operations import GkeOperations
from tidegate.localclouds.gcp.gke_types import ClusterType, NodePoolType
from tidegate.localclouds.gcp.google_type import labels_of
from tidegate.localclouds.gcp.logs import Logs
from tidegate.localclouds.gcp.resource_types import (
    BucketType,
    LogBucketType,
    LogExclusionType,
    ServiceAccountType,
)
from tidegate.localclouds.gcp.storage import Buckets
from tidegate.localclouds.routes import Face


def build_gcp_cloud(world: World) -> Cloud:
    """Build Google Cloud over one world."""
    compute = Compute(world)
    gke = Gke(world, compute)
    buckets, logs, accounts = Buckets(world), Logs(world), Accounts(world)
    routes = [
        *GkeFace(gke, GkeOperations(world)).routes(),
        *ComputeFace(world, compute).routes(),
        *buckets.routes(),
        *logs.routes(),
        *accounts.routes(),
    ]
    return Cloud(
        package="gcp",
        behaviours={
            "gcp:compute/network:Network": NetworkType(compute),
            "gcp:compute/reservation:Reservation": ReservationType(compute),
            "gcp:compute/subnetwork:Subnetwork": SubnetworkType(compute),
            "gcp:container/cluster:Cluster": ClusterType(gke),
            "gcp:container/nodePool:NodePool": NodePoolType(gke),
            "gcp:logging/projectBucketConfig:ProjectBucketConfig": LogBucketType(logs),
            "gcp:logging/projectExclusion:ProjectExclusion": LogExclusionType(logs),
            "gcp:serviceaccount/account:Account": ServiceAccountType(accounts),
            "gcp:storage/bucket:Bucket": BucketType(buckets),
        },
        face=Face(routes, render_error, absent_route),
        outputs=_add_outputs,
    )


def _add_outputs(inputs: Values, outputs: Values, call: Call) -> Values:
    """Return what the real provider adds to every type: the project and all billing labels."""
    labels = {**(call.settings.get("defaultLabels") or {}), **labels_of(outputs)}
    return {
        "project": outputs.get("project") or names.project_of(inputs, call.settings),
        "effectiveLabels": labels,
        "pulumiLabels": labels,
    }
