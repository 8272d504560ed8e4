"""A notebook as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Fragment, Notebook
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels


class NotebookKind(StrEnum):
    """What a notebook is in its cloud, as the argument `kind` says it."""

    NOTEBOOK_INSTANCE = "notebook-instance"
    STUDIO = "studio"
    WORKBENCH = "workbench"
    COMPUTE_INSTANCE = "compute-instance"


KINDS = {
    Cloud.AWS: (NotebookKind.NOTEBOOK_INSTANCE, NotebookKind.STUDIO),
    Cloud.GCP: (NotebookKind.WORKBENCH,),
    Cloud.AZURE: (NotebookKind.COMPUTE_INSTANCE,),
}
MANIFEST_KINDS = {
    NotebookKind.NOTEBOOK_INSTANCE: "sagemaker-notebook-instance",
    NotebookKind.STUDIO: "sagemaker-studio",
    NotebookKind.WORKBENCH: "vertex-workbench",
    NotebookKind.COMPUTE_INSTANCE: "azure-ml-compute-instance",
}


DAY_SECONDS = 86400


@dataclass(frozen=True, slots=True)
class NotebookSpec:
    """Everything plain about a notebook.

    Attributes:
        attached: Compute Engine's type and number of what is attached to a plain machine.
        own_idle_seconds: After what idle time its cloud stops it, whoever does so before.
        stopped_by_tidegate: Whether the controller is to stop it.
        stop_cron: When an Azure machine stops every day; empty where it does not.
    """

    id: str
    cloud: Cloud
    kind: NotebookKind
    region: str
    account: str
    zone: str
    instance_type: str
    attached: tuple[str, int] | None
    idle_shutdown_seconds: int
    own_idle_seconds: int
    stopped_by_tidegate: bool
    max_age_seconds: int | None
    disk_gib: int
    labels: CostLabels
    public_ip: bool
    stop_cron: str
    stop_time_zone: str

    @property
    def where(self) -> str:
        """How messages call this notebook."""
        return f"notebook {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the notebook."""
        return self.labels.to_mapping()

    @property
    def own_max_age_seconds(self) -> int | None:
        """When the machine stops itself for its age: a day later where the controller does so."""
        if self.max_age_seconds is None or not self.stopped_by_tidegate:
            return self.max_age_seconds
        return self.max_age_seconds + DAY_SECONDS

    @property
    def idle_minutes(self) -> int:
        """The idle time of its cloud's own shutdown, where that counts minutes."""
        return self.own_idle_seconds // 60

    def to_fragment(self) -> dict[str, Any]:
        """Return what the notebook adds to the manifest, as plain JSON."""
        notebook = Notebook.model_validate(
            {
                "id": self.id,
                "cloud": self.cloud,
                "account": self.account,
                "region": self.region,
                "kind": MANIFEST_KINDS[self.kind],
                "instance_type": self.instance_type,
                "idle_shutdown_seconds": self.idle_shutdown_seconds,
                "max_age_seconds": self.max_age_seconds,
                "stopped_by": "tidegate" if self.stopped_by_tidegate else None,
                "labels": self.cost_labels,
            }
        )
        return dump_manifest(Fragment(notebooks=[notebook]))
