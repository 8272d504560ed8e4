"""What stops by itself when nobody uses it, and after how long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.policy.facts.reading import (
    Fact,
    absent,
    as_seconds,
    known,
    read,
    read_first,
    read_number,
    with_default,
)
from tidegate.policy.graph import Resource

_KEDA_COOLDOWN = 300
"""KEDA's own default, seconds (keda.sh, ScaledObject specification)."""


def build_idle(resource: Resource) -> dict[str, Any] | None:
    """Return `{kind, after}` of what can stop when idle: `after` a fact in seconds.

    `kind` is "notebook", "endpoint" or "compute". The value is null where something is declared
    that stops it, without saying after how long (a script). None for other resources.
    """
    build = _BUILDERS.get(resource.type)
    return None if build is None else build(resource.properties)


def _idle(kind: str, after: Fact) -> dict[str, Any]:
    return {"kind": kind, "after": after}


def _sagemaker_notebook(properties: Any) -> dict[str, Any]:
    script = read(properties, "lifecycleConfigName")
    if script["state"] == "absent":
        return _idle("notebook", script)
    # Which script is only known later; that there is one is known.
    return _idle("notebook", known(None, script["property"]))


def _studio(prefix: str) -> Callable[[Any], dict[str, Any]]:
    def build(properties: Any) -> dict[str, Any]:
        apps = ("jupyterLabAppSettings", "codeEditorAppSettings")
        found = [_studio_app(properties, f"{prefix}{app}.") for app in apps]
        after = next((fact for fact in found if fact["state"] != "absent"), found[0])
        return _idle("notebook", after)

    return build


def _studio_app(properties: Any, app: str) -> Fact:
    settings = f"{app}appLifecycleManagement.idleSettings."
    enabled = read(properties, f"{settings}lifecycleManagement")
    if enabled["value"] == "DISABLED":
        return absent(enabled["property"])
    minutes = read_number(properties, f"{settings}idleTimeoutInMinutes")
    return {**minutes, "value": minutes["value"] * 60} if minutes["value"] else minutes


def _workbench(properties: Any) -> dict[str, Any]:
    places = ("gceSetup.metadata.idle-timeout-seconds", "metadata.idle-timeout-seconds")
    return _idle("notebook", as_seconds(read_first(properties, places)))


def _colab(properties: Any) -> dict[str, Any]:
    return _idle("notebook", as_seconds(read(properties, "idleShutdownConfig.idleTimeout")))


def _azure_compute(properties: Any) -> dict[str, Any] | None:
    kind = read(properties, "properties.computeType")["value"]
    inner = "properties.properties."
    if kind == "ComputeInstance":
        return _idle("notebook", as_seconds(read(properties, f"{inner}idleTimeBeforeShutdown")))
    if kind == "AmlCompute":
        path = f"{inner}scaleSettings.nodeIdleTimeBeforeScaleDown"
        return _idle("compute", as_seconds(read(properties, path)))
    return None


def _keda(properties: Any) -> dict[str, Any]:
    cooldown = read_number(properties, "spec.cooldownPeriod")
    return _idle("endpoint", with_default(cooldown, _KEDA_COOLDOWN))


def _karpenter(properties: Any) -> dict[str, Any]:
    after = read(properties, "spec.disruption.consolidateAfter")
    if after["value"] == "Never":
        return _idle("compute", absent(after["property"]))
    return _idle("compute", with_default(as_seconds(after), 0))  # Karpenter v1's default, 0s


_BUILDERS: dict[str, Callable[[Any], dict[str, Any] | None]] = {
    "aws:sagemaker/notebookInstance:NotebookInstance": _sagemaker_notebook,
    "aws:sagemaker/domain:Domain": _studio("defaultUserSettings."),
    "aws:sagemaker/userProfile:UserProfile": _studio("userSettings."),
    "aws:sagemaker/space:Space": _studio("spaceSettings."),
    "gcp:workbench/instance:Instance": _workbench,
    "gcp:notebooks/instance:Instance": _workbench,
    "gcp:colab/runtimeTemplate:RuntimeTemplate": _colab,
    "azure-native:machinelearningservices:Compute": _azure_compute,
    "kubernetes:keda.sh/v1alpha1:ScaledObject": _keda,
    "kubernetes:karpenter.sh/v1:NodePool": _karpenter,
}
