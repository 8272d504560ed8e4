"""Which machine stands behind a node, and which one a notice means. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.vocabulary.fleet_state import ClusterNode, Machine


def find_machine(node: ClusterNode, machines: Sequence[Machine]) -> str:
    """Return the machine behind a node, by its provider id or its name; "" where none fits."""
    ends = {node.provider_id.rpartition("/")[2], node.name} - {""}
    for machine in machines:
        if machine.id in ends or machine.id.rpartition("/")[2] in ends:
            return machine.id
    return ""
