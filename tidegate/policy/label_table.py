"""Where each resource type carries cost labels: the carriers, by type token.

A type that is not here is *not known*, which no rule may read as a pass. An empty tuple is a
type that is known to take no cost labels. Most types are told by the table that is generated from
the providers' SDKs; where labels end up elsewhere than on the resource itself, it is said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tidegate.catalog.taggable import LabelPlace, PlaceShape, load_taggable
from tidegate.policy import kubernetes_labels


class Scope(StrEnum):
    """What the labels at a carrier end up on."""

    RESOURCE = "resource"
    INSTANCES = "instances"
    VOLUMES = "volumes"
    NETWORK_INTERFACES = "network interfaces"
    NODES = "nodes"


class Shape(StrEnum):
    """How labels are written at a carrier."""

    MAP = "map"
    LIST = "list"
    """A list of `{key, value, propagateAtLaunch}`: what the Auto Scaling group itself carries."""
    PROPAGATED_LIST = "propagated-list"
    """Of the same list, only what the group's instances get."""
    TAG_SPECIFICATION = "tag-specification"
    """Within a list of `{resourceType, tags}`, the entry of one resource type."""
    LAUNCH_TEMPLATE = "launch-template"
    """Not here: in the launch template that the resource refers to."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """One place of a resource type that carries cost labels.

    Attributes:
        property: Path of the property; `[]` stands for each element of a list.
        scope: What the labels end up on.
        shape: How they are written.
        inherits: Whether the provider's default labels are merged in.
        resource_type: For TAG_SPECIFICATION, EC2's name of what is labelled.
    """

    property: str
    scope: Scope = Scope.RESOURCE
    shape: Shape = Shape.MAP
    inherits: bool = False
    resource_type: str = ""


TAGS = (Carrier("tags", inherits=True),)
"""AWS: a map of tags, merged with the provider's default tags."""

AZURE_TAGS = (Carrier("tags"),)
"""Azure: a map of tags; azure-native has no default tags."""

NONE: tuple[Carrier, ...] = ()

# EC2's names of what a launch template labels → what that is to a reader.
LAUNCHED: Mapping[str, Scope] = {
    "instance": Scope.INSTANCES,
    "volume": Scope.VOLUMES,
    "network-interface": Scope.NETWORK_INTERFACES,
}

_LAUNCH_TEMPLATE = tuple(
    Carrier("tagSpecifications", scope, Shape.TAG_SPECIFICATION, resource_type=name)
    for name, scope in LAUNCHED.items()
)

_NO_LABELS = frozenset(
    {
        PlaceShape.NONE,
        PlaceShape.SELECTOR,
        PlaceShape.STRINGS,
        PlaceShape.RESOURCE_MANAGER_TAGS,
    }
)
"""Shapes of what is called tags or labels and never reaches a bill."""


def build_carriers(places: Iterable[LabelPlace]) -> tuple[Carrier, ...] | None:
    """Return the carriers of a type from its places in the generated table.

    None where something looks like labels that nobody has judged: the type is not known then.
    """
    found = [place for place in places if place.by_rule]
    if found:
        return tuple(_carrier(place.type, place.property) for place in found)
    judged = all(place.shape in _NO_LABELS for place in places)
    return NONE if judged else None


def _carrier(token: str, path: str) -> Carrier:
    if token.startswith("azure-native:"):
        return AZURE_TAGS[0]
    return Carrier(path, inherits=True)


_UNBILLED = (
    # Their labels never reach the bill, or they are parts of something that does.
    "azure-native:insights:DiagnosticSetting",  # its name before azure-native 3
    "azure-native:network:Subnet",  # the tags are those of resources that it refers to
    "gcp:billing/budget:Budget",  # filters by labels
    "gcp:compute/instanceGroupManager:InstanceGroupManager",  # its template labels instances
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",  # the same
    "gcp:compute/resourcePolicy:ResourcePolicy",  # may label snapshots, is not billed itself
    "gcp:logging/metric:Metric",  # labels of a time series
    "gcp:monitoring/alertPolicy:AlertPolicy",
    "gcp:monitoring/customService:CustomService",
    "gcp:monitoring/genericService:GenericService",
    "gcp:monitoring/notificationChannel:NotificationChannel",
    "gcp:monitoring/slo:Slo",
    "gcp:monitoring/uptimeCheckConfig:UptimeCheckConfig",
    # The tags are those of tasks that somebody's cluster runs when an event comes.
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:scheduler/schedule:Schedule",
)

EXCEPTIONS: Mapping[str, tuple[Carrier, ...]] = {
    **dict.fromkeys(_UNBILLED, NONE),
    # The group's own tags are a list, default tags do not reach it, and its instances get only
    # what propagates (hashicorp/terraform-provider-aws#19387).
    "aws:autoscaling/group:Group": (
        Carrier("tags", Scope.RESOURCE, Shape.LIST),
        Carrier("tags", Scope.INSTANCES, Shape.PROPAGATED_LIST),
    ),
    # Default tags do not reach tag specifications either (the same report).
    "aws:ec2/launchTemplate:LaunchTemplate": (*TAGS, *_LAUNCH_TEMPLATE),
    "aws:ec2/instance:Instance": (
        *TAGS,
        Carrier("volumeTags", Scope.VOLUMES, inherits=True),
    ),
    # A node group's tags stay on the node group (pulumi/pulumi-eks#635).
    "aws:eks/nodeGroup:NodeGroup": (
        *TAGS,
        Carrier("launchTemplate", Scope.INSTANCES, Shape.LAUNCH_TEMPLATE),
    ),
    # A disk of a template has labels of its own, which those of the instances do not reach.
    **dict.fromkeys(
        (
            "gcp:compute/instanceTemplate:InstanceTemplate",
            "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        ),
        (
            Carrier("labels", Scope.INSTANCES, inherits=True),
            Carrier("disks[].labels", Scope.VOLUMES),
        ),
    ),
    # `nodeConfig.labels` are Kubernetes labels and `nodeConfig.tags` network tags; neither is
    # on the bill (hashicorp/terraform-provider-google#19436).
    "gcp:container/nodePool:NodePool": (Carrier("nodeConfig.resourceLabels", Scope.NODES),),
    "gcp:sql/databaseInstance:DatabaseInstance": (Carrier("settings.userLabels"),),
    "azure-native:containerservice:ManagedCluster": (
        *AZURE_TAGS,
        Carrier("agentPoolProfiles[].tags", Scope.NODES),
    ),
}
"""Types whose labels stand elsewhere than the generated table can tell."""

KUBERNETES: Mapping[str, tuple[Carrier, ...]] = {
    **{token: (Carrier(path),) for token, path in kubernetes_labels.LABELLED.items()},
    **{
        token: (Carrier(path, Scope.NODES),) for token, path in kubernetes_labels.TAGS_NODES.items()
    },
    **dict.fromkeys(kubernetes_labels.UNBILLED, NONE),
}
"""Kubernetes has no provider default labels: nothing is merged in."""

LABEL_TABLE: Mapping[str, tuple[Carrier, ...]] = {
    **{
        token: carriers
        for token, places in load_taggable().items()
        if (carriers := build_carriers(places)) is not None
    },
    **EXCEPTIONS,
    **KUBERNETES,
}
