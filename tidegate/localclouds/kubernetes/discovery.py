"""What clients ask first: the version, the groups and their kinds."""

from __future__ import annotations

from collections.abc import Collection

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.kubernetes.kinds import Kind
from tidegate.localclouds.routes import Answer

VERSION = "1.34"
VERSION_TEXT = f"v{VERSION}.0+tidegate-local"
UNBUILT = ("buildDate", "compiler", "gitCommit", "gitTreeState", "goVersion", "platform")
"""What clients want to be told of the build of an API server; this one has none."""
VERBS = ["create", "delete", "get", "list", "patch", "update"]


def answer_discovery(kinds: Collection[Kind], path: str) -> Answer | None:
    """Return the answer to a path of the discovery, or None where it is none."""
    path = path.rstrip("/")
    if path == "/version":
        major, minor = VERSION.split(".")
        unknown = dict.fromkeys(UNBUILT, "")
        return Answer({**unknown, "major": major, "minor": minor, "gitVersion": VERSION_TEXT})
    if path == "/api":
        return Answer({"kind": "APIVersions", "versions": ["v1"]})
    if path == "/apis":
        return Answer(_list_groups(kinds))
    served = [kind for kind in kinds if kind.root == path]
    return Answer(_list_resources(served)) if served else None


def _list_groups(kinds: Collection[Kind]) -> Body:
    found = sorted({(kind.group, kind.version) for kind in kinds if kind.group})
    groups = []
    for group, version in found:
        entry = {"groupVersion": f"{group}/{version}", "version": version}
        groups.append({"name": group, "versions": [entry], "preferredVersion": entry})
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _list_resources(kinds: Collection[Kind]) -> Body:
    resources = []
    for kind in kinds:
        entry = {
            "kind": kind.name,
            "namespaced": kind.namespaced,
            "singularName": kind.name.lower(),
        }
        resources.append({"name": kind.plural, "verbs": VERBS, **entry})
        if kind.is_scaled:
            scale = {"kind": "Scale", "namespaced": True, "singularName": ""}
            name = f"{kind.plural}/scale"
            resources.append({"name": name, "verbs": ["get", "patch", "update"], **scale})
    version = next(iter(kinds)).api_version
    return {"kind": "APIResourceList", "groupVersion": version, "resources": resources}
