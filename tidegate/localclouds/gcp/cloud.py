"""Google Cloud as the server runs it: the types, the face, and what all types share."""

from __future__ import annotations

from tidegate.localclouds.contracts import Call, Cloud, TypeBehaviour, Values, World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.collection_face import CollectionFace
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.collection_types import CollectionType
from tidegate.localclouds.gcp.compute import Compute
from tidegate.localclouds.gcp.compute_collection_types import CommitmentType, FutureReservationType
from tidegate.localclouds.gcp.compute_face import ComputeFace
from tidegate.localclouds.gcp.compute_types import NetworkType, ReservationType, SubnetworkType
from tidegate.localclouds.gcp.errors import absent_route, render_error
from tidegate.localclouds.gcp.gke import Gke
from tidegate.localclouds.gcp.gke_face import GkeFace
from tidegate.localclouds.gcp.gke_operations import GkeOperations
from tidegate.localclouds.gcp.gke_types import ClusterType, NodePoolType
from tidegate.localclouds.gcp.google_type import labels_of
from tidegate.localclouds.gcp.group_face import GroupFace
from tidegate.localclouds.gcp.group_kinds import GROUP_KIND, ZONE_GROUP_KIND
from tidegate.localclouds.gcp.group_types import GroupType
from tidegate.localclouds.gcp.iam_kinds import (
    AccountCalls,
    CustomRoles,
    CustomRoleType,
    ServiceAccountType,
)
from tidegate.localclouds.gcp.iam_member_types import build_member_types
from tidegate.localclouds.gcp.iam_policies import IamPolicies
from tidegate.localclouds.gcp.kinds import KINDS
from tidegate.localclouds.gcp.log_entries import LogEntries
from tidegate.localclouds.gcp.logs import Logs
from tidegate.localclouds.gcp.machine_face import MachineFace
from tidegate.localclouds.gcp.notebook_kinds import Notebooks, NotebookType
from tidegate.localclouds.gcp.preemption import Preemptions
from tidegate.localclouds.gcp.pubsub import PubSub
from tidegate.localclouds.gcp.resource_types import BucketType, LogBucketType
from tidegate.localclouds.gcp.serving import Serving
from tidegate.localclouds.gcp.storage import Buckets
from tidegate.localclouds.gcp.template_kinds import (
    REGION_TEMPLATE_KIND,
    TEMPLATE_KIND,
    TemplateType,
)
from tidegate.localclouds.gcp.time_series import TimeSeries
from tidegate.localclouds.routes import Answer, Asked, Face, Route


class GoogleFace(Face):
    """The face of Google's APIs; interruptions in force happen before the next call is answered."""

    def __init__(self, routes: list[Route], preemptions: Preemptions) -> None:
        super().__init__(routes, render_error, absent_route)
        self._preemptions = preemptions

    def answer(self, asked: Asked) -> Answer:
        """Dispatch one request."""
        self._preemptions.run_faults()
        return super().answer(asked)


class Services:
    """What stands behind Google's APIs in one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.collections = Collections(world)
        self.compute = Compute(world)
        self.gke = Gke(world, self.compute)
        self.buckets = Buckets(world)
        self.logs = Logs(world)
        self.policies = IamPolicies(world)
        self.pubsub = PubSub(world)
        self.roles = CustomRoles(self.collections)
        self.entries = LogEntries(world, self.pubsub, self.policies)
        self.preemptions = Preemptions(world, self.compute, self.entries)

    def build_face(self) -> GoogleFace:
        """Return all that the APIs answer, the particular before the general."""
        general = CollectionFace(self.collections, KINDS)
        routes = [
            *GkeFace(self.gke, GkeOperations(self._world)).routes(),
            *ComputeFace(self._world, self.compute, self.collections).routes(),
            *MachineFace().routes(),
            *GroupFace(self.compute, self.collections, self.preemptions).routes(),
            *self.buckets.routes(),
            *self.logs.routes(),
            *self.entries.routes(),
            *self.policies.routes(),
            *self.pubsub.routes(),
            *self.roles.routes(),
            *AccountCalls(self.collections).routes(),
            *TimeSeries(self._world).routes(),
            *Serving(self._world, self.collections, general).routes(),
            *Notebooks(self._world, self.collections, general).routes(),
            *general.routes(),
        ]
        return GoogleFace(routes, self.preemptions)

    def build_types(self) -> dict[str, TypeBehaviour]:
        """Return the behaviour of every type that an API backs."""
        collections = self.collections
        found: dict[str, TypeBehaviour] = {
            kind.pulumi: CollectionType(collections, kind) for kind in KINDS
        }
        particular: list[CollectionType] = [
            CommitmentType(collections),
            CustomRoleType(collections, self.roles),
            FutureReservationType(collections),
            GroupType(collections, self.compute.groups, GROUP_KIND),
            GroupType(collections, self.compute.groups, ZONE_GROUP_KIND),
            NotebookType(collections),
            ServiceAccountType(collections),
            TemplateType(collections, REGION_TEMPLATE_KIND),
            TemplateType(collections, TEMPLATE_KIND),
        ]
        return {
            **found,
            **{behaviour.token: behaviour for behaviour in particular},
            **build_member_types(self.policies),
            "gcp:compute/network:Network": NetworkType(self.compute),
            "gcp:compute/reservation:Reservation": ReservationType(self.compute),
            "gcp:compute/subnetwork:Subnetwork": SubnetworkType(self.compute),
            "gcp:container/cluster:Cluster": ClusterType(self.gke),
            "gcp:container/nodePool:NodePool": NodePoolType(self.gke),
            "gcp:logging/projectBucketConfig:ProjectBucketConfig": LogBucketType(self.logs),
            "gcp:storage/bucket:Bucket": BucketType(self.buckets),
        }


def build_gcp_cloud(world: World) -> Cloud:
    """Build Google Cloud over one world."""
    services = Services(world)
    return Cloud(
        package="gcp",
        behaviours=services.build_types(),
        face=services.build_face(),
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
