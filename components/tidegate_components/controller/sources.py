"""The sources' file of a controller that runs in a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.controller.spec import SecretKey

SOURCES = "sources"
KUBERNETES = "kubernetes"
OF_FILES = "csv"
SCHEMES = {"http": 80, "https": 443}


def read_sources(
    read: Arguments, cloud: Cloud, cluster: str, region: str, secrets: Mapping[str, SecretKey]
) -> Mapping[str, Any]:
    """Return the sources' file: the cluster around the controller, and what was given.

    What an entry says beyond its kind, the controller itself reads and refuses when it starts.
    """
    given = read.plain("sources") or {}
    if not isinstance(given, Mapping) or not all(map(_is_list_of_objects, given.values())):
        expected = "`sources` and the other lists of a sources' file"
        read.refuse("sources", None, "is not an object of lists of objects", expected)
        given = {}
    for section, entries in given.items():
        for index, entry in enumerate(entries):
            for reason, expected in _find_faults(entry, cloud, cluster, secrets):
                key = f"sources.{section}[{index}]"
                read.refuse(key, entry.get("name"), reason, expected)
    own = build_own_source(cloud, cluster, region)
    return {**given, SOURCES: [own, *given.get(SOURCES, ())]}


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def build_own_source(cloud: Cloud, cluster: str, region: str) -> Mapping[str, Any]:
    """Return the cluster around the controller, reached by its service account."""
    place = {"region": region} if region else {}
    own = {"cloud": cloud.value, "cluster": cluster, **place}
    return {"kind": KUBERNETES, **own, "context": "in-cluster"}


def find_ports(sources: Mapping[str, Any]) -> Iterator[int]:
    """Yield the ports of sources that are asked at a URL of their own."""
    for source in (each for section in sources.values() for each in section):
        if isinstance(source.get("url"), str):
            yield find_port(source["url"])


def find_port(url: str) -> int:
    """Return the port that a URL means."""
    parts = urlsplit(url)
    return parts.port or SCHEMES.get(parts.scheme, 443)


def _find_faults(
    source: Mapping[str, Any], cloud: Cloud, cluster: str, secrets: Mapping[str, SecretKey]
) -> Iterator[tuple[str, str]]:
    kind = source.get("kind")
    if not isinstance(kind, str):
        yield "has no kind", "kind, and the keys of it"
    if kind == OF_FILES:
        yield "is a file, which the pod does not have", "a queue, Prometheus or a cluster"
    if kind == KUBERNETES and (source.get("cloud"), source.get("cluster")) == (cloud, cluster):
        yield "is the cluster around the controller, which is read anyway", "leave it out"
    variable = source.get("tokenEnvironment")
    if variable and variable not in secrets:
        yield f"takes its token from {variable}, which is not set", f"secrets.{variable}"
