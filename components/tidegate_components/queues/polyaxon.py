"""The queues as Polyaxon's users meet them: queue definitions, and presets for runs.

A preset is an operation with `isPreset`, as Polyaxon's specification (2.18.0) says it: a run that
names it gets its queue, node selection, tolerations, resources and termination.
"""

from __future__ import annotations

from typing import Any

from tidegate.manifest.model import Taint
from tidegate_components.queues.objects import build_toleration
from tidegate_components.queues.pools import find_node_labels
from tidegate_components.queues.spec import QueueSpec, QueuesSpec

SPECIFICATION = 1.1
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"


def build_polyaxon(spec: QueuesSpec) -> dict[str, Any]:
    """Return `queues` and `presets`, each named after its queue."""
    return {
        "queues": [_build_queue(spec, queue) for queue in spec.queues],
        "presets": [build_preset(spec, queue) for queue in spec.queues],
    }


def _build_queue(spec: QueuesSpec, queue: QueueSpec) -> dict[str, Any]:
    agent = {"agent": spec.agent} if spec.agent else {}
    return {
        **agent,
        "name": queue.id,
        "description": _describe(queue),
        "tags": _tags(queue),
        "priority": queue.priority.value,
    }


def build_preset(spec: QueuesSpec, queue: QueueSpec) -> dict[str, Any]:
    """Return the preset of a queue, as JSON that Polyaxon's own parser takes."""
    termination: dict[str, int] = {"maxRetries": queue.max_retries}
    if queue.timeout_seconds is not None:
        termination["timeout"] = queue.timeout_seconds
    patch: dict[str, Any] = {"environment": _build_environment(spec, queue)}
    if queue.resource:
        # Extended resources cannot be overcommitted: requests equal limits.
        amount = {queue.resource: queue.units_per_run}
        patch["container"] = {"resources": {"requests": amount, "limits": amount}}
    return {
        "version": SPECIFICATION,
        "kind": "operation",
        "isPreset": True,
        "name": queue.id,
        "description": _describe(queue),
        "tags": _tags(queue),
        "queue": f"{spec.agent}/{queue.id}" if spec.agent else queue.id,
        "termination": termination,
        "runPatch": patch,
    }


def _build_environment(spec: QueuesSpec, queue: QueueSpec) -> dict[str, Any]:
    priority = spec.name_priority(queue.priority)
    environment: dict[str, Any] = {
        "labels": {QUEUE_LABEL: queue.id, PRIORITY_LABEL: priority},
        "priorityClassName": priority,
    }
    selector = find_common_labels(queue)
    if selector:
        environment["nodeSelector"] = selector
    tolerations = [build_toleration(taint) for taint in find_taints(queue)]
    if tolerations:
        environment["tolerations"] = tolerations
    return environment


def find_common_labels(queue: QueueSpec) -> dict[str, str]:
    """Return what the nodes of all pools of a queue have in common.

    A queue of one pool selects it; with several, Kueue adds the chosen pool's labels when it
    admits a run.
    """
    first, *others = queue.pools
    if not others:
        return find_node_labels(first)
    common = set(first.node_labels.items())
    for pool in others:
        common &= set(pool.node_labels.items())
    return dict(sorted(common))


def find_taints(queue: QueueSpec) -> list[Taint]:
    """Return the taints of all pools of a queue, each once."""
    found = {(each.key, each.value, each.effect): each for p in queue.pools for each in p.taints}
    return [found[key] for key in sorted(found)]


def _describe(queue: QueueSpec) -> str:
    what = queue.accelerator.name if queue.accelerator else "no accelerator"
    kind = "may be interrupted" if queue.is_tolerant else "is not interrupted"
    return f"{what}, {kind}, from {', '.join(pool.id for pool in queue.pools)}"


def _tags(queue: QueueSpec) -> list[str]:
    accelerator = [queue.accelerator.name] if queue.accelerator else ["cpu"]
    return [*accelerator, queue.tolerance.value, queue.priority.name]
