"""Which objects of a list answer its label and field selectors.

Source: Kubernetes' concepts "Labels and Selectors" and "Field Selectors" (seen 2026-12-01): every
kind is chosen by its name and namespace, and pods and nodes by some more fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.kubernetes.errors import bad_request
from tidegate.localclouds.kubernetes.kinds import Kind

EVERY_KIND = frozenset({"metadata.name", "metadata.namespace"})
FIELDS: Mapping[str, frozenset[str]] = {
    "pods": frozenset(
        {
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        }
    ),
    "nodes": frozenset({"spec.unschedulable"}),
}


def matches(kind: Kind, body: Body, query: Any) -> bool:
    """Tell whether an object answers a list's selectors.

    Raises:
        CloudError: For selectors that are not answered here.
    """
    labels = body["metadata"].get("labels") or {}
    for term in _terms(query.get("labelSelector", "")):
        if any(mark in term for mark in ("(", "!")):
            raise bad_request(f"the local Kubernetes answers no label selector such as {term!r}")
        key, _, value = term.replace("==", "=").partition("=")
        if key not in labels or ("=" in term and labels[key] != value):
            return False
    return all(_has_field(kind, body, term) for term in _terms(query.get("fieldSelector", "")))


def _has_field(kind: Kind, body: Body, term: str) -> bool:
    wanted = "!=" not in term
    key, _, value = term.replace("!=", "=").replace("==", "=").partition("=")
    if key not in EVERY_KIND | FIELDS.get(kind.plural, frozenset()):
        raise bad_request(f"field label not supported: {key}")
    return (_read_field(body, key) == value) is wanted


def _read_field(body: Body, key: str) -> str:
    """Return a field as selectors compare it: a text, empty where it is not set."""
    found: Any = body
    for step in key.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    if key == "spec.unschedulable":
        return str(bool(found)).lower()
    return "" if found is None else str(found)


def _terms(selector: str) -> Iterable[str]:
    return [term.strip() for term in selector.split(",") if term.strip()]
