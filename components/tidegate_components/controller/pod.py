"""The pod of the controller: one container that may write to nothing but its state."""

from __future__ import annotations

import hashlib
from typing import Any

from tidegate_components.controller.files import (
    OUTPUTS_FILE,
    PRICES_FILE,
    SOURCES_FILE,
    render_sources,
)
from tidegate_components.controller.identities import (
    CONFIGURATION,
    TOKENS,
    build_environment,
    build_tokens,
)
from tidegate_components.controller.spec import ControllerSpec, Leader, SecretKey

NAME = "app.kubernetes.io/name"
INSTANCE = "app.kubernetes.io/instance"
PORT = 9470
PORT_NAME = "http-status"
USER = 65532
"""The user of deploy/Containerfile."""
STATE = "/var/lib/tidegate"
KUBECONFIG_FOLDER = "/etc/tidegate-kubeconfig"
GRACE_SECONDS = 90
"""A turn that is under way is finished, with the slowest of its calls."""


def build_selector(spec: ControllerSpec) -> dict[str, str]:
    """Return the labels that tell its pods from all others, and never change."""
    return {NAME: "tidegate-controller", INSTANCE: spec.id}


def build_template(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the template of its pods."""
    # The outputs are read again at every turn, sources and prices when it starts.
    started_with = hashlib.sha256(f"{render_sources(spec)}{spec.prices}".encode()).hexdigest()
    return {
        "metadata": {
            "labels": {**spec.cost_labels, **build_selector(spec)},
            "annotations": {"tidegate.dev/started-with": started_with[:16]},
        },
        "spec": {
            "serviceAccountName": spec.service_account,
            "automountServiceAccountToken": True,
            "terminationGracePeriodSeconds": GRACE_SECONDS,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "runAsGroup": USER,
                "fsGroup": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [build_container(spec, inputs)],
            "volumes": build_volumes(spec, inputs),
            **build_place(spec),
        },
    }


def build_container(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the one container."""
    return {
        "name": "controller",
        "image": inputs["image"],
        "args": [
            *("controller", "run"),
            f"--outputs={CONFIGURATION}/{OUTPUTS_FILE}",
            f"--sources={CONFIGURATION}/{SOURCES_FILE}",
            f"--state-dir={STATE}",
            f"--interval={spec.interval_seconds}",
            f"--listen=0.0.0.0:{PORT}",
            *_build_options(spec),
        ],
        "env": [
            {"name": "HOME", "value": "/tmp"},  # noqa: S108 - an emptyDir of the pod's own
            *_build_secrets(spec),
            *build_environment(spec, inputs),
        ],
        "ports": [{"name": PORT_NAME, "containerPort": PORT, "protocol": "TCP"}],
        "startupProbe": _probe("/healthz", period=2, failures=60),
        "livenessProbe": _probe("/healthz", period=20, failures=3),
        "readinessProbe": _probe("/readyz", period=10, failures=3),
        "resources": {
            "requests": {"cpu": spec.cpu, "memory": spec.memory},
            "limits": {"memory": spec.memory},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": _build_mounts(spec, inputs),
    }


def build_volumes(spec: ControllerSpec, inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return configuration, state, scratch, and the tokens that clouds exchange."""
    claim = {"persistentVolumeClaim": {"claimName": spec.id}}
    state = claim if spec.has_volume else {"emptyDir": {}}
    volumes: list[dict[str, Any]] = [
        {"name": "configuration", "configMap": {"name": spec.id}},
        {"name": "state", **state},
        {"name": "scratch", "emptyDir": {"sizeLimit": "256Mi"}},
    ]
    tokens = build_tokens(spec, inputs)
    if tokens:
        volumes.append({"name": "tokens", "projected": {"sources": tokens}})
    if spec.kubeconfig:
        key = {"key": spec.kubeconfig.key, "path": "config"}
        secret = {"secretName": spec.kubeconfig.name, "items": [key], "defaultMode": 0o440}
        volumes.append({"name": "kubeconfig", "secret": secret})
    return volumes


def build_place(spec: ControllerSpec) -> dict[str, Any]:
    """Return where its pods may run; several keep apart where they can."""
    place: dict[str, Any] = {}
    if spec.pool:
        place["nodeSelector"] = {"capacity-pool": spec.pool.id}
        place["tolerations"] = [
            {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
            for taint in spec.pool.taints
        ]
    if spec.replicas > 1:
        apart = {
            "labelSelector": {"matchLabels": build_selector(spec)},
            "topologyKey": "kubernetes.io/hostname",
        }
        preferred = [{"weight": 100, "podAffinityTerm": apart}]
        term = {"preferredDuringSchedulingIgnoredDuringExecution": preferred}
        place["affinity"] = {"podAntiAffinity": term}
    return place


def _build_options(spec: ControllerSpec) -> list[str]:
    lease = f"kubernetes:{spec.namespace}/{spec.id}" if spec.leader is Leader.LEASE else ""
    prices = f"{CONFIGURATION}/{PRICES_FILE}" if spec.prices else ""
    options = {"overlay": prices, "leader": lease, "otlp": spec.otlp}
    return [f"--{name}={value}" for name, value in options.items() if value]


def _build_secrets(spec: ControllerSpec) -> list[dict[str, Any]]:
    wanted: dict[str, SecretKey] = {"TIDEGATE_CONTROLLER_TOKEN": spec.token, **spec.secrets}
    if spec.database:
        wanted["TIDEGATE_DATABASE"] = spec.database
    found = [_secret(name, each) for name, each in wanted.items()]
    if spec.kubeconfig:
        found.append({"name": "KUBECONFIG", "value": f"{KUBECONFIG_FOLDER}/config"})
    return found


def _secret(variable: str, secret: SecretKey) -> dict[str, Any]:
    reference = {"name": secret.name, "key": secret.key}
    return {"name": variable, "valueFrom": {"secretKeyRef": reference}}


def _build_mounts(spec: ControllerSpec, inputs: dict[str, Any]) -> list[dict[str, Any]]:
    # Whole folders: a file that is mounted by itself (`subPath`) never follows its ConfigMap.
    mounts: list[dict[str, Any]] = [
        {"name": "configuration", "mountPath": CONFIGURATION, "readOnly": True},
        {"name": "state", "mountPath": STATE},
        {"name": "scratch", "mountPath": "/tmp"},  # noqa: S108 - an emptyDir of the pod's own
    ]
    if build_tokens(spec, inputs):
        mounts.append({"name": "tokens", "mountPath": TOKENS, "readOnly": True})
    if spec.kubeconfig:
        mounts.append({"name": "kubeconfig", "mountPath": KUBECONFIG_FOLDER, "readOnly": True})
    return mounts


def _probe(path: str, *, period: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": PORT_NAME},
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }
