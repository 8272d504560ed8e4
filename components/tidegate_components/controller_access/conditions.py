"""IAM conditions of Google Cloud: what a binding of the controller's roles is held to."""

from __future__ import annotations

from collections.abc import Sequence

MAX_OPERATORS = 12
"""Logical operators of one condition (IAM Conditions, limits)."""
MAX_CLUSTERS = (MAX_OPERATORS + 1) // 2
"""Each cluster is named twice, and the names are joined by operators."""


def build_cluster_condition(clusters: Sequence[str]) -> str:
    """Return that a resource is one of these clusters, or stands below one."""
    named = [
        f'resource.name.endsWith("/clusters/{name}") || '
        f'resource.name.extract("/clusters/{{cluster}}/") == "{name}"'
        for name in clusters
    ]
    return " || ".join(named)


def build_tag_condition(key: str, value: str) -> str:
    """Return that a resource carries a Resource Manager tag."""
    return f'resource.matchTag("{key}", "{value}")'
