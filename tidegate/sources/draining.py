"""Emptying nodes: closing them, asking work to save itself, and evicting it.

Evictions go through Kubernetes' Eviction API, so that disruption budgets hold and the containers
get SIGTERM and their grace. Every call may be made twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from kubernetes.client.api_client import ApiClient
from kubernetes.client.exceptions import ApiException

from tidegate.sources.objects import NODES, patch_object, post_object
from tidegate.sources.running import (
    ASKED_ANNOTATION,
    CLOSED_ANNOTATION,
    DRAIN_ANNOTATION,
    EVICTING_ANNOTATION,
)

GONE = 404
BUDGET = 429
FAULT = 500
BUDGET_WORD = "PodDisruptionBudget"


def close_node(api: ApiClient, node: str) -> None:
    """Let nothing new start on a node; the mark tells it from one that a person closed."""
    _patch_node(api, node, {CLOSED_ANNOTATION: "true"}, closed=True)


def start_drain(api: ApiClient, node: str, at: datetime, *, closed_by_us: bool) -> None:
    """Close a node and write down since when it is emptied.

    Args:
        api: The cluster.
        node: The node.
        at: Now.
        closed_by_us: False where a person closed it before, who is to find it closed afterwards.
    """
    mark = {CLOSED_ANNOTATION: "true"} if closed_by_us else {}
    _patch_node(api, node, {**mark, DRAIN_ANNOTATION: at.isoformat()}, closed=True)


def mark_evicting(api: ApiClient, node: str) -> None:
    """Write down that work of a node is told to go."""
    body = {"metadata": {"annotations": {EVICTING_ANNOTATION: "true"}}}
    patch_object(api, f"{NODES}/{quote(node)}", body)


def open_node(api: ApiClient, node: str) -> None:
    """Undo all of the above."""
    keys = (CLOSED_ANNOTATION, DRAIN_ANNOTATION, EVICTING_ANNOTATION)
    _patch_node(api, node, dict.fromkeys(keys), closed=False)


def ask_checkpoint(api: ApiClient, pods: Sequence[str], at: datetime | None) -> None:
    """Ask pods to save themselves, or take that back (None); pods that are gone are done.

    Args:
        api: The cluster.
        pods: Each "namespace/name".
        at: Since when they are asked.
    """
    mark = {ASKED_ANNOTATION: at.isoformat() if at else None}
    for pod in pods:
        try:
            patch_object(api, _path(pod), {"metadata": {"annotations": mark}})
        except ApiException as error:
            if error.status != GONE:
                raise


def evict_pods(api: ApiClient, pods: Mapping[str, int | None]) -> dict[str, str]:
    """Tell pods to end; return those that a disruption budget keeps, each with its words.

    Args:
        api: The cluster.
        pods: Each "namespace/name" → the seconds it gets to end; None for its own.
    """
    kept = {}
    for pod, grace in pods.items():
        try:
            post_object(api, f"{_path(pod)}/eviction", _build_eviction(pod, grace))
        except ApiException as error:
            if error.status == GONE:
                continue
            words = _message(error)
            # A pod that two budgets select is refused as a fault of the server.
            if error.status != BUDGET and not (error.status == FAULT and BUDGET_WORD in words):
                raise
            kept[pod] = words
    return kept


def _build_eviction(pod: str, grace: int | None) -> dict[str, Any]:
    namespace, _, name = pod.partition("/")
    return {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"namespace": namespace, "name": name},
        **({} if grace is None else {"deleteOptions": {"gracePeriodSeconds": grace}}),
    }


def _message(error: ApiException) -> str:
    try:
        return str(json.loads(error.body or "")["message"])
    except (ValueError, KeyError, TypeError):
        return str(error.reason)


def _path(pod: str) -> str:
    namespace, _, name = pod.partition("/")
    return f"/api/v1/namespaces/{quote(namespace)}/pods/{quote(name)}"


def _patch_node(
    api: ApiClient, node: str, marks: Mapping[str, str | None], *, closed: bool
) -> None:
    body = {"metadata": {"annotations": dict(marks)}, "spec": {"unschedulable": closed}}
    patch_object(api, f"{NODES}/{quote(node)}", body)
