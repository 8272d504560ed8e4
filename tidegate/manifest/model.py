"""The capacity manifest `tidegate/capacity/v1` as typed models.

JSON keys are camelCase (Kubernetes' habit); amounts of money are decimal strings, never JSON
numbers; dates are ISO 8601; hours and seconds say so in their names.
"""

# ruff: noqa: RUF012 - pydantic copies the default of a field for each document

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import Field

from tidegate.manifest.document import Amount, Currency, Document, Identifier
from tidegate.manifest.kept import Bucket, Budget, TelemetryStream
from tidegate.manifest.queues import Queue
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    PoolKind,
    Scaler,
    SharingStrategy,
    WorkloadClass,
)

MANIFEST_VERSION: Final = "tidegate/capacity/v1"


class StatedPrice(Document):
    """A price with its date and origin; `assumed` when it is an average or a ratio."""

    amount: Amount
    currency: Currency = "USD"
    as_of: date
    origin: str
    assumed: bool = False


class Taint(Document):
    """A Kubernetes taint; effects in Kubernetes' spelling."""

    key: str
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class DisruptionBudget(Document):
    """How many nodes of a pool may be disrupted at once, as Karpenter's budgets say it."""

    max_unavailable_nodes: int = Field(ge=0)


class Schedule(Document):
    """A time window in which a pool has other bounds."""

    cron: str
    time_zone: str
    min_nodes: int = Field(ge=0)
    max_nodes: int = Field(ge=0)


class Window(Document):
    """When disruption is allowed: a cron start in an IANA zone and a length."""

    cron: str
    time_zone: str
    duration_seconds: int = Field(gt=0)


class Checkpoint(Document):
    """What work on a pool declares about its checkpoints."""

    interval_seconds: int = Field(gt=0)
    write_seconds: int = Field(ge=0)
    restart_seconds: int = Field(ge=0)


class Sharing(Document):
    """How several pods share one accelerator of a pool."""

    strategy: SharingStrategy
    partition: str = ""
    """The MIG profile of every accelerator ("1g.10gb"); empty where accelerators are whole."""
    clients_per_accelerator: int = Field(ge=1)
    """Pods that one accelerator serves at once: its partitions times the clients of each."""


class Pool(Document):
    """A pool of equal nodes. Its `id` is the label `capacity-pool` everywhere."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    region: str
    zones: list[str] = []
    kind: PoolKind
    cluster: str = ""
    accelerator: str = ""
    accelerators_per_node: int = Field(default=0, ge=0)
    instance_types: list[str] = Field(min_length=1)
    capacity_type: CapacityType
    min_nodes: int = Field(ge=0)
    max_nodes: int = Field(ge=0)
    declared_nodes: Annotated[Decimal, Field(ge=0)] | None = None
    """Nodes the team expects to run on average; the basis of the cost "as declared"."""
    boot_seconds: int = Field(ge=0)
    labels: dict[str, str]
    node_labels: dict[str, str] = {}
    taints: list[Taint] = []
    priority: int = 0
    interruption_tolerance: InterruptionTolerance
    workload_classes: list[WorkloadClass] = Field(min_length=1)
    service_level: str = ""
    disruption_budget: DisruptionBudget | None = None
    windows: list[Window] = []
    schedules: list[Schedule] = []
    checkpoint: Checkpoint | None = None
    scaler: Scaler
    reservation: str = ""
    """The id of the commitment that this pool consumes, where it consumes one."""
    sharing: Sharing | None = None
    """None where each pod has accelerators of its own."""
    topology: str = ""
    """How the chips of a TPU slice are joined ("2x4")."""
    nodes_at_once: int = Field(default=1, ge=1)
    """Nodes that come and go together: the hosts of one multi-host TPU slice."""
    on_demand_base_nodes: int = Field(default=0, ge=0)
    """Of a spot pool: the first nodes, which are bought on demand."""
    on_demand_percent_above_base: int = Field(default=0, ge=0, le=100)
    """Of a spot pool: the share of the nodes above those that is bought on demand as well."""
    allocation_strategy: str = ""
    """How its cloud chooses among the instance types, in the cloud's own word."""
    adopted: bool = False
    """Whether something else made the pool and owns it; the stack only states it."""


class Commitment(Document):
    """Something paid for whether used or not."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    region: str = ""
    kind: Literal[
        "capacity-reservation",
        "capacity-block",
        "savings-plan",
        "reserved-instance",
        "resource-cud",
        "flexible-cud",
        "azure-reservation",
    ]
    units: int | None = Field(default=None, ge=0)
    hourly_amount: Amount | None = None
    covers: list[str] = []
    """Instance types, families or accelerators that it covers, as the instrument states them."""
    term_months: int | None = Field(default=None, gt=0)
    start: date | None = None
    end: date | None = None
    price: StatedPrice | None = None
    labels: dict[str, str]


class Endpoint(Document):
    """A served model's scaling target."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    region: str
    kind: Literal[
        "",
        "sagemaker-variant",
        "sagemaker-inference-component",
        "vertex-resource-pool",
        "azure-ml-deployment",
        "kubernetes-deployment",
    ] = ""
    """What its replicas are; empty where an older version declared it."""
    model: str = ""
    instance_type: str = ""
    """The machine of a replica, where the endpoint has machines of its own and no pool."""
    pool: str = ""
    elastic_pool: str = ""
    """The pool that takes what exceeds `pool`, where there are two."""
    commitment: str = ""
    """The id of the commitment that pays for its floor."""
    target: dict[str, str] = {}
    """Identifiers of the scaling target that are known before it exists."""
    min_replicas: int = Field(ge=0)
    max_replicas: int = Field(ge=0)
    cold_start_seconds: int | None = Field(default=None, ge=0)
    """From nothing to a served request: boot and load. None where it was not stated."""
    idle_shutdown_seconds: int | None = Field(default=None, gt=0)
    """After what time without use Tidegate stops what it may; None where it leaves it alone."""
    idle_action: Literal["shrink", "remove"] | None = None
    """What it does then: size it to its least, or take its model away. None is the first."""
    service_level: str = ""
    labels: dict[str, str]


class Notebook(Document):
    """An interactive machine and when it stops by itself."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    region: str
    kind: Literal[
        "",
        "sagemaker-notebook-instance",
        "sagemaker-studio",
        "vertex-workbench",
        "azure-ml-compute-instance",
    ] = ""
    instance_type: str
    idle_shutdown_seconds: int | None = Field(default=None, gt=0)
    max_age_seconds: int | None = Field(default=None, gt=0)
    """When it stops even though it is busy; None where nothing stops busy work."""
    stopped_by: Literal["provider", "tidegate"] | None = None
    """Who stops it: its cloud's own idle shutdown (None is the same), or Tidegate's controller."""
    labels: dict[str, str]


class Quota(Document):
    """A quota the team declares; live quotas are observations and stand elsewhere."""

    cloud: Cloud
    account: str = ""
    region: str
    family: str
    capacity_type: CapacityType
    limit: int = Field(ge=0)


class HourlyCeiling(Document):
    """What the whole stack may cost an hour."""

    amount: Amount
    currency: Currency = "USD"


class Fragment(Document):
    """What one component adds to the manifest."""

    pools: list[Pool] = []
    commitments: list[Commitment] = []
    endpoints: list[Endpoint] = []
    notebooks: list[Notebook] = []
    buckets: list[Bucket] = []
    telemetry: list[TelemetryStream] = []
    budgets: list[Budget] = []
    queues: list[Queue] = []


class Manifest(Fragment):
    """The stack output `capacity`."""

    version: Literal["tidegate/capacity/v1"] = MANIFEST_VERSION
    project: str
    stack: str
    catalog_digest: str
    hourly_ceiling: HourlyCeiling | None = None
    quotas: list[Quota] = []
