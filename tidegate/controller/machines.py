"""Which machine stands behind a node, and which one a notice means. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.vocabulary.fleet_state import ClusterNode, Machine, MachinePhase, PoolState


def find_machine(node: ClusterNode, machines: Sequence[Machine]) -> str:
    """Return the machine behind a node, by its provider id or its name; "" where none fits."""
    ends = {node.provider_id.rpartition("/")[2], node.name} - {""}
    for machine in machines:
        if machine.id in ends or machine.id.rpartition("/")[2] in ends:
            return machine.id
    return ""


def is_gone(node: ClusterNode, state: PoolState | None) -> bool:
    """Return whether an empty node that this controller closed has lost its machine.

    Its cluster lists it for a minute or so, and as ready at first: opened again it would be given
    work that never starts. Another node without a machine is left for its cluster to judge.
    """
    is_ours = node.closed_by_us or node.drained_since is not None
    is_empty = all(pod.daemonset for pod in node.running)
    if not (is_ours and is_empty) or state is None or state.machines is None:
        return False
    there = [each for each in state.machines if each.phase is not MachinePhase.LEAVING]
    return not find_machine(node, there)
