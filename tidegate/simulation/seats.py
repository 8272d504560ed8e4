"""Seats for jobs on nodes that are there, as a scheduler gives them."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.simulation.jobs import Job
from tidegate.simulation.world import SimNode
from tidegate.vocabulary.capacity import CapacityType


def find_seats(ready: Sequence[SimNode], job: Job) -> list[SimNode] | None:
    """Return a node for each worker, the fullest that fits first; None when they do not all fit."""
    need, workers = job.shape.accelerators[0].per_worker, job.shape.workers
    fitting = []
    for node in ready:
        # Most nodes are full: that is asked first.
        if node.free < need or not may_sit(node, job):
            continue
        room = node.free if job.id in node.reserved else node.open_room()
        fitting += [(job.id not in node.reserved, room, node.id, node)] * (room // need)
    if len(fitting) < workers:
        return None
    fitting.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in fitting[:workers]]


def may_sit(node: SimNode, job: Job) -> bool:
    """Return whether a node has what a job asks for and may be taken away if the node may."""
    chip = job.shape.accelerators[0].accelerator
    if node.offering.room.accelerator != chip:
        return False
    spot = node.offering.capacity_type is CapacityType.SPOT
    return job.shape.tolerates_interruption() or not spot
