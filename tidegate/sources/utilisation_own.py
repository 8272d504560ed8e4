"""What the clouds' own metrics tell of notebooks and endpoints, without anything being set up.

What they are called is general vendor documentation as of 2026-11-30, not tried against live
accounts: CloudWatch metrics of SageMaker endpoints and inference components, Cloud Monitoring
metrics of aiplatform.googleapis.com and compute.googleapis.com, Azure Monitor metrics of
Microsoft.MachineLearningServices. `Tidegate/Notebooks` is written by the instances of this
program's own component.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from tidegate.manifest.model import Endpoint, Notebook
from tidegate.manifest.reapables import Reapable, name_component, name_reapable, name_variant
from tidegate.sources.utilisation import Use, UseSettings

Binding = Mapping[str, str]
BYTES_A_SECOND = 1000
"""Below this a Workbench machine's network carries no work: assumed, for its agents' chatter."""
ONLINE = "Microsoft.MachineLearningServices/workspaces/onlineEndpoints"
GPU_FAMILIES = ("ml.g", "ml.p", "a2-", "a3-", "a4-", "g2-", "g4-", "Standard_N")
"""How the machine types begin that carry GPUs, on SageMaker, Vertex and Azure."""
READER: TypeAdapter[UseSettings] = TypeAdapter(Use)


def list_own_uses(declared: Reapable, binding: Binding) -> Iterator[UseSettings]:
    """Yield what its own cloud tells of a notebook or endpoint, without anything being set up."""
    about = name_reapable(declared)
    if isinstance(declared, Notebook):
        yield from _of_notebook(declared, about, binding)
    elif declared.kind in ("sagemaker-variant", "sagemaker-inference-component"):
        yield from _of_sagemaker(declared, about, binding)
    elif declared.kind == "vertex-resource-pool" and "endpoint" in binding:
        yield from _of_vertex(declared, about, binding["endpoint"])
    elif declared.kind == "azure-ml-deployment" and "deployment" in binding:
        yield from _of_azure_ml(declared, about, binding["deployment"])


def _of_notebook(declared: Notebook, about: str, binding: Binding) -> Iterator[UseSettings]:
    if declared.kind == "sagemaker-notebook-instance" and "notebookInstance" in binding:
        place: dict[str, Any] = {
            "kind": "cloudwatch",
            "about": about,
            "region": declared.region,
            "namespace": "Tidegate/Notebooks",
            "dimensions": {"NotebookInstanceName": binding["notebookInstance"]},
        }
        yield _read(name=f"{about}/Utilization", metric="Utilization", **place)
        yield _read(name=f"{about}/Working", metric="Working", shows="activity", **place)
    if declared.kind == "vertex-workbench" and binding.get("id"):
        _, project, _, _, _, machine = binding["id"].split("/")
        chosen = f'metric.labels.instance_name="{machine}"'
        source = {"kind": "cloud-monitoring", "about": about, "project": project}
        kind = "compute.googleapis.com/instance"
        yield _read(
            name=f"{about}/cpu",
            full=1,
            filter=f'metric.type="{kind}/cpu/utilization" AND {chosen}',
            **source,
        )
        yield _read(
            name=f"{about}/network",
            shows="activity",
            filter=f'metric.type="{kind}/network/received_bytes_count" AND {chosen}',
            aligner="ALIGN_RATE",
            reducer="REDUCE_SUM",
            idle_below=BYTES_A_SECOND,
            **source,
        )


def _of_sagemaker(declared: Endpoint, about: str, binding: Binding) -> Iterator[UseSettings]:
    if declared.kind == "sagemaker-inference-component":
        component = name_component(declared, binding)
        if not component:
            return
        dimensions = {"InferenceComponentName": component}
        namespace, suffix = "/aws/sagemaker/InferenceComponents", "Normalized"
    else:
        endpoint = binding.get("endpoint", "")
        dimensions = {"EndpointName": endpoint, "VariantName": name_variant(declared)}
        namespace, suffix = "/aws/sagemaker/Endpoints", ""
    place: dict[str, Any] = {
        "kind": "cloudwatch",
        "about": about,
        "region": declared.region,
        "dimensions": dimensions,
    }
    metric = ("GPU" if _has_gpu(declared) else "CPU") + f"Utilization{suffix}"
    yield _read(name=f"{about}/{metric}", namespace=namespace, metric=metric, **place)
    yield _read(
        name=f"{about}/Invocations",
        namespace="AWS/SageMaker",
        metric="Invocations",
        statistic="Sum",
        shows="activity",
        silent_means_none=True,
        **place,
    )


def _of_vertex(declared: Endpoint, about: str, endpoint: str) -> Iterator[UseSettings]:
    parts = endpoint.split("/")
    chosen = f'resource.labels.endpoint_id="{parts[-1]}"'
    source = {"kind": "cloud-monitoring", "about": about, "project": parts[1]}
    online = "aiplatform.googleapis.com/prediction/online"
    load = "accelerator/duty_cycle" if _has_gpu(declared) else "cpu/utilization"
    yield _read(
        name=f"{about}/{load}",
        full=1,
        filter=f'metric.type="{online}/{load}" AND {chosen}',
        **source,
    )
    yield _read(
        name=f"{about}/prediction_count",
        shows="activity",
        filter=f'metric.type="{online}/prediction_count" AND {chosen}',
        aligner="ALIGN_DELTA",
        reducer="REDUCE_SUM",
        silent_means_none=True,
        **source,
    )


def _of_azure_ml(declared: Endpoint, about: str, deployment: str) -> Iterator[UseSettings]:
    endpoint, _, name = deployment.rpartition("/deployments/")
    source = {"kind": "azure-monitor", "about": about, "region": declared.region}
    metric = ("Gpu" if _has_gpu(declared) else "Cpu") + "UtilizationPercentage"
    yield _read(
        name=f"{about}/{metric}",
        resource_id=deployment,
        namespace=f"{ONLINE}/deployments",
        metric=metric,
        **source,
    )
    yield _read(
        name=f"{about}/RequestsPerMinute",
        resource_id=endpoint,
        namespace=ONLINE,
        metric="RequestsPerMinute",
        filter=f"deployment eq '{name}'",
        shows="activity",
        # Any request at all is one, however many minutes it is the only one in.
        idle_below="0.001",
        silent_means_none=True,
        **source,
    )


def _has_gpu(declared: Endpoint) -> bool:
    return declared.instance_type.startswith(GPU_FAMILIES)


def _read(**settings: Any) -> UseSettings:
    return READER.validate_python(settings)
