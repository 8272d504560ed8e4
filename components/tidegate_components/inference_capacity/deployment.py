"""Reads a Kubernetes Deployment as scaling target, and what KEDA watches for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.inference_capacity import args as shapes
from tidegate_components.inference_capacity.spec import KubernetesTarget

TRIGGERS: dict[str, tuple[str, ...]] = {
    "prometheus": ("serverAddress", "query", "threshold"),
    "aws-sqs-queue": ("queueURL", "awsRegion"),
    "gcp-pubsub": ("subscriptionName",),
    "azure-queue": ("queueName",),
    "azure-servicebus": (),
    "rabbitmq": ("queueName",),
    "kafka": ("bootstrapServers", "topic", "consumerGroup"),
}
"""KEDA's scalers that see demand while nothing runs, and the settings that each must have
(keda.sh/docs, scalers)."""
ONLY_WHILE_RUNNING = ("cpu", "memory")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def read_kubernetes(read: Arguments, _region: str, catalog: Catalog) -> KubernetesTarget:
    """Return the Deployment that the arguments declare; faults are noted with the reader's."""
    name = read.text("accelerator", "")
    accelerator = find_accelerator(read, name, catalog) if name else None
    if accelerator and not accelerator.kubernetes_resource:
        reason = "is not served by any device plugin that Kubernetes knows"
        read.refuse("accelerator", name, reason, "one with a Kubernetes resource")
    if not accelerator and read.has("accelerators_per_replica"):
        reason = "says how many of an accelerator that is not named"
        read.refuse("accelerators_per_replica", None, reason, "`accelerator` too")
    port = read.whole("port", 8080, minimum=1)
    if port > 65535:
        read.refuse("port", port, "is no TCP port", "1 to 65535")
    return KubernetesTarget(
        port=port,
        command=read.texts("command"),
        args=read.texts("args"),
        accelerator=accelerator,
        accelerators_per_replica=read.whole("accelerators_per_replica", 1, minimum=1),
        cpu=_quantity(read, "cpu", "1"),
        memory=_quantity(read, "memory", "4Gi"),
        tolerations=_tolerations(read, accelerator),
        trigger=_trigger(read),
        cooldown_seconds=read.whole("cooldown_seconds", 300),
    )


def _tolerations(read: Arguments, accelerator: Accelerator | None) -> tuple[dict[str, str], ...]:
    found: list[dict[str, str]] = []
    if accelerator:
        key = accelerator.kubernetes_resource
        found.append({"key": key, "operator": "Exists", "effect": "NoSchedule"})
    for each in read.nested_list("tolerations", shapes.TolerationArgs):
        value, effect = each.text("value", ""), each.text("effect", "")
        if effect and effect not in EFFECTS:
            expected = f"one of {', '.join(EFFECTS)}"
            each.refuse("effect", effect, "is no effect of a taint", expected)
        toleration = {"key": each.text("key"), "operator": "Equal" if value else "Exists"}
        toleration |= {"value": value} if value else {}
        found.append(toleration | ({"effect": effect} if effect else {}))
    return tuple(found)


def _trigger(read: Arguments) -> str:
    nested = read.nested("trigger", shapes.TriggerArgs)
    if nested is None:
        reason = "is required and is missing: nothing would bring a first replica up"
        read.refuse("trigger", None, reason, "a type and its metadata")
        return ""
    kind = nested.text("type")
    if kind in ONLY_WHILE_RUNNING:
        reason = "sees no demand while no replica runs (keda.sh/docs, scalers)"
        nested.refuse("type", kind, reason, f"one of {', '.join(TRIGGERS)}")
    elif kind and kind not in TRIGGERS:
        reason = "is no trigger that is known to see demand at zero"
        nested.refuse("type", kind, reason, f"one of {', '.join(TRIGGERS)}")
    metadata = nested.input("metadata")
    if metadata is None:
        metadata = {}
    # Settings that are known only after creation cannot be looked into.
    for key in TRIGGERS.get(kind, ()) if isinstance(metadata, Mapping) else ():
        if metadata.get(key) in (None, ""):
            reason = f"is needed by KEDA's scaler {kind} and is missing"
            nested.refuse(f"metadata.{key}", None, reason, "a value")
    return kind


def _quantity(read: Arguments, key: str, default: str) -> str:
    value = read.text(key, default)
    number = re.sub(r"(m|k|M|G|T|Ki|Mi|Gi|Ti)$", "", value)
    try:
        positive = Decimal(number) > 0
    except InvalidOperation:
        positive = False
    if not positive:
        read.refuse(key, value, "is no quantity of Kubernetes", "one such as 500m, 4 or 16Gi")
    return value


def find_accelerator(read: Arguments, name: str, catalog: Catalog) -> Accelerator | None:
    """Return an accelerator of the catalog; None when it is refused."""
    try:
        return catalog.accelerator(name)
    except InvalidInput as error:
        read.adopt(error, "accelerator")
        return None
