"""The arguments of queues, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import Any, NotRequired, TypedDict


class PriorityArgs(TypedDict):
    """A class of priority."""

    name: str
    """Its name, such as high."""
    value: int
    """Higher goes first; at most 1000000000."""
    description: NotRequired[str]
    """When to use it."""


class QueueArgs(TypedDict):
    """One queue: a ClusterQueue, and a LocalQueue in each namespace that may use it."""

    name: str
    """Its id, such as a100-interruptible: what a run asks for. Unique over the stack."""
    accelerator: NotRequired[str]
    """The accelerator's name in the catalog; absent for work without one."""
    priority: NotRequired[str]
    """The name of the priority that its work has; the second lowest unless stated."""
    interruption_tolerance: str
    """tolerant or intolerant: whether its work survives losing a node."""
    service_level: NotRequired[str]
    """Only pools that promise this service level."""
    pools: NotRequired[list[str]]
    """Ids of pools; every pool that fits accelerator, tolerance and service level unless stated."""
    quotas: NotRequired[dict[str, int]]
    """Pool → what of it is this queue's own: accelerators (shares of them where the pool shares), \
or nodes of pools without any. All of it unless stated; needed where queues share a pool."""
    borrowing_limit: NotRequired[int]
    """The most that it may borrow of each pool from other queues; no limit unless stated. \
Intolerant queues borrow nothing, because what is borrowed is taken back."""
    lending_limit: NotRequired[int]
    """The most that it lends of each pool; all of it unless stated."""
    strict_order: NotRequired[bool]
    """Whether work that does not fit yet holds back what came later; false unless stated."""
    queued_pools: NotRequired[list[str]]
    """Pools whose nodes are asked for all at once, before work is admitted to them: those of \
queued or flex-start provisioning. Needs `provisioning_class`."""
    accelerators_per_run: NotRequired[int]
    """What a run of the preset requests; 1 unless stated."""
    max_retries: NotRequired[int]
    """How often a failed run is tried again; 3 for tolerant queues, else 0."""
    timeout_seconds: NotRequired[int]
    """When a run is stopped at the latest."""


class NamespaceArgs(TypedDict):
    """A project's namespace."""

    name: str
    """Its name."""
    queues: list[str]
    """The queues that its work may wait in."""
    quotas: NotRequired[dict[str, int]]
    """Accelerator → the most that its pods may request at once. Needed where another namespace \
uses the same accelerator, and less than all of it."""
    max_pods: NotRequired[int]
    """The most pods at once."""
    existing: NotRequired[bool]
    """Whether the namespace is there already, and stays when the queues go."""
    labels: NotRequired[dict[str, str]]
    """The project's own cost labels; those of the queues unless stated."""


class PolyaxonArgs(TypedDict):
    """How Polyaxon knows the queues."""

    agent: NotRequired[str]
    """The agent that serves the cluster: presets name their queue `agent/queue`."""


class QueuesArgs(TypedDict):
    """Queues of one cluster over its pools, with the namespaces of projects."""

    cluster: str
    """The cluster, by name, as its pools state it; the `provider` option is its Kubernetes."""
    pools: list[dict[str, Any]]
    """What pool components output as `capacity`, or plain pools in the manifest's own form."""
    queues: list[QueueArgs]
    """The queues."""
    namespaces: list[NamespaceArgs]
    """The namespaces of projects."""
    priorities: NotRequired[list[PriorityArgs]]
    """The classes of priority; low, normal and high unless stated."""
    provisioning_class: NotRequired[str]
    """The class of ProvisioningRequests, such as queued-provisioning.gke.io."""
    polyaxon: NotRequired[PolyaxonArgs]
    """How Polyaxon knows the queues."""
    labels: dict[str, str]
    """The cost labels."""
