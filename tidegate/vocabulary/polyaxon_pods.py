"""The pods of a compiled run of Polyaxon, as its server 2.18 stores it: each role with its number.

A run states its pods as its kind does: one container, or roles with replicas (PyTorch's master
and worker, Ray's head and groups of workers).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Body = Mapping[str, Any]


def list_pods(run: Body) -> Iterator[tuple[int, Body]]:
    """Yield each role with its number; a role without replicas is one pod.

    Args:
        run: The `run` of a compiled operation.

    Raises:
        ValueError: A role's replicas are no number.
        AttributeError: It is no run.
    """
    for part in (run, *_roles(run)):
        if isinstance(part.get("container"), Mapping):
            replicas = int(part.get("replicas") or part.get("minReplicas") or 1)
            if replicas > 0:
                yield replicas, part


def _roles(run: Body) -> Iterator[Body]:
    for part in run.values():
        if isinstance(part, Mapping):
            if "container" in part:
                yield part
            else:  # named groups of workers
                yield from (each for each in part.values() if isinstance(each, Mapping))
    # Older servers list Ray's groups without names.
    listed = run.get("workers")
    if isinstance(listed, list):
        yield from (each for each in listed if isinstance(each, Mapping))
