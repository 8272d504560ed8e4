"""What the controller asks of a cluster's API: the one list behind calls and RBAC roles.

As with the clouds' actions (`catalog.actions`), a role that grants more than what is called, or
less, is a fault; so calls and roles are held against the same data.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from itertools import groupby
from typing import Any


class RightScope(StrEnum):
    """Where a right is granted."""

    CLUSTER = "cluster"
    NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class ClusterRight:
    """One verb on one resource.

    Attributes:
        group: The API group; empty for the core.
        resource: As RBAC spells it ("nodes", "pods/eviction").
        verb: As RBAC spells it ("list").
        why: What it is needed for, for people.
        scope: Where it is granted.
        limit: What RBAC does not let be held more narrowly; empty where nothing.
        source: The page that describes the resource.
    """

    group: str
    resource: str
    verb: str
    why: str
    scope: RightScope
    limit: str
    source: str


def load_cluster_rights() -> tuple[ClusterRight, ...]:
    """Return the shipped list, in the order of the file."""
    file = resources.files("tidegate.catalog") / "data" / "actions" / "kubernetes.toml"
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(_parse(each, document["sources"]) for each in document["rules"])


def build_rules(scope: RightScope) -> list[dict[str, list[str]]]:
    """Return the rights of one scope as the `rules` of a role: one for each resource."""
    return [*_group([each for each in load_cluster_rights() if each.scope is scope])]


def _group(rights: list[ClusterRight]) -> Iterator[dict[str, list[str]]]:
    def place(each: ClusterRight) -> tuple[str, str]:
        return each.group, each.resource

    for (group, resource), same in groupby(sorted(rights, key=place), place):
        verbs = sorted(each.verb for each in same)
        yield {"apiGroups": [group], "resources": [resource], "verbs": verbs}


def _parse(raw: Mapping[str, Any], pages: Mapping[str, str]) -> ClusterRight:
    return ClusterRight(
        group=raw["group"],
        resource=raw["resource"],
        verb=raw["verb"],
        why=raw["why"],
        scope=RightScope(raw["scope"]),
        limit=raw.get("limit", ""),
        source=pages[raw["source"]],
    )
