"""Telemetry: the names by which series are told apart, and how much is logged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.policy.facts.reading import Fact, entries, is_hidden, read, texts
from tidegate.policy.graph import Resource

_LEVEL_NAMES = frozenset(
    {"LOG_LEVEL", "LOGLEVEL", "LOGGING_LEVEL", "VLLM_LOGGING_LEVEL", "NCCL_DEBUG", "RUST_LOG"}
)
"""Environment variables that say how much a program logs."""

_MAPS = {
    "aws:lambda/function:Function": ("environment.variables",),
    "aws:sagemaker/model:Model": ("primaryContainer.environment",),
    "aws:apprunner/service:Service": (
        "sourceConfiguration.imageRepository.imageConfiguration.runtimeEnvironmentVariables",
    ),
    "azure-native:machinelearningservices:OnlineDeployment": ("properties.environmentVariables",),
    "kubernetes:core/v1:ConfigMap": ("data",),
}
_LEVELS = {
    "aws:lambda/function:Function": (
        "loggingConfig.applicationLogLevel",
        "loggingConfig.systemLogLevel",
    ),
}
_POD = "spec.template.spec.containers"
_LISTS = {
    "gcp:cloudrunv2/service:Service": ("template.containers", "envs"),
    "gcp:cloudrunv2/job:Job": ("template.template.containers", "envs"),
    **{
        f"kubernetes:{kind}": (_POD, "env")
        for kind in (
            "apps/v1:Deployment",
            "apps/v1:StatefulSet",
            "apps/v1:DaemonSet",
            "batch/v1:Job",
        )
    },
}


def build_log_levels(resource: Resource) -> list[Fact]:
    """Return every value of a resource that says how much a program logs."""
    found = [read(resource.properties, path) for path in _LEVELS.get(resource.type, ())]
    for path in _MAPS.get(resource.type, ()):
        variables = read(resource.properties, path)
        found += _levels_of_map(variables)
    if resource.type in _LISTS:
        found += _levels_of_containers(resource.properties, *_LISTS[resource.type])
    return [_as_text(fact) for fact in found if fact["state"] != "absent"]


def _as_text(fact: Fact) -> Fact:
    """Return the same fact with a text for its value, as a program reads its environment."""
    value = fact["value"]
    return fact if value is None else {**fact, "value": str(value)}


def _levels_of_map(variables: Fact) -> list[Fact]:
    value = variables["value"]
    if not isinstance(value, Mapping):
        return []
    at = f"{variables['property']}."
    return [read(value, name, at) for name in value if name.upper() in _LEVEL_NAMES]


def _levels_of_containers(properties: Any, path: str, name: str) -> Iterator[Fact]:
    for at, container in entries(properties, path):
        for inner, variable in entries(container, name):
            key = read(variable, "name")["value"]
            if isinstance(key, str) and key.upper() in _LEVEL_NAMES:
                yield read(variable, "value", f"{at}{inner}")


def build_series(resource: Resource) -> dict[str, Any] | None:
    """Return `{names, property, open}`: by what the time series of a metric are told apart."""
    properties = resource.properties
    if resource.type == "gcp:logging/metric:Metric":
        return _mapping_names(read(properties, "labelExtractors"))
    if resource.type == "aws:cloudwatch/logMetricFilter:LogMetricFilter":
        return _mapping_names(read(properties, "metricTransformation.dimensions"))
    if resource.type == "gcp:monitoring/metricDescriptor:MetricDescriptor":
        labels = entries(properties, "labels")
        names = [read(label, "key")["value"] for _, label in labels]
        is_open = any(is_hidden(label) for _, label in labels)
        return {"names": texts(names), "property": "labels", "open": is_open}
    if resource.type in _MONITORS:
        return _monitor_names(properties)
    return None


_MONITORS = {
    "kubernetes:monitoring.coreos.com/v1:ServiceMonitor",
    "kubernetes:monitoring.coreos.com/v1:PodMonitor",
}


def _mapping_names(fact: Fact) -> dict[str, Any]:
    value = fact["value"]
    names = sorted(value) if isinstance(value, Mapping) else []
    return {"names": names, "property": fact["property"], "open": fact["state"] == "hidden"}


def _monitor_names(properties: Any) -> dict[str, Any]:
    """Return the labels that a monitor copies from pods onto every series."""
    fact = read(properties, "spec.podTargetLabels")
    names = texts(fact["value"])
    return {"names": names, "property": fact["property"], "open": fact["state"] == "hidden"}
