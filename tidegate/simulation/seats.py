"""Seats for jobs on nodes that are there, as a scheduler gives them."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.simulation.jobs import Job
from tidegate.simulation.world import SimNode


def find_seats(ready: Sequence[SimNode], job: Job) -> list[SimNode] | None:
    """Return a node for each worker, the fullest that fits first; None when they do not all fit."""
    need, workers = job.shape.accelerators[0].per_worker, job.shape.workers
    fitting = []
    for node in ready:
        room = node.free if job.id in node.reserved else node.open_room()
        fitting += [(job.id not in node.reserved, room, node.id, node)] * (room // need)
    if len(fitting) < workers:
        return None
    fitting.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in fitting[:workers]]
