"""TPU slices: which topologies a machine type can be joined to, and how many hosts one has."""

from __future__ import annotations

import math
import re

from tidegate.vocabulary.accelerators import AcceleratorKind
from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.hardware import Hardware

FLAT = ("1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16")
"""Topologies of chips that are joined in two dimensions (Google Cloud documentation, plan TPUs
in GKE, and Cloud TPU's page of v5e: TPU v5e and v6e)."""

DEEP = ("tpu-v5p",)
"""Chips that are joined in three dimensions (the same source)."""

HOST_CHIPS = 4
"""Chips of each host of a slice of several: machines with fewer or more stand alone (the same
source)."""

_SMALL_DEEP = ("1x1x1", "2x1x1", "2x2x1", "2x2x2", "2x2x4", "2x4x4")


def check_topology(read: Arguments, hardware: Hardware, topology: str) -> str:
    """Return a topology that the pool's chips can be joined to; empty when it is refused.

    Bounds that would split the slice are noted too.
    """
    reason, expected = _explain(hardware, topology)
    if reason:
        read.refuse("gcp.tpu_topology", topology, reason, expected)
        return ""
    hosts = count_chips(topology) // hardware.per_node if topology else 1
    if hosts > 1:
        _check_slice(read, hardware, topology, hosts)
    return topology


def _explain(hardware: Hardware, topology: str) -> tuple[str, str]:
    """Return why hosts cannot make up a topology, and what would be right."""
    chip = hardware.accelerator
    if chip is None or not topology:
        return "", ""
    if chip.kind is not AcceleratorKind.TPU:
        return f"is for TPUs, and the accelerator is {chip.name}", "leave it out"
    reason = explain_topology(chip.name, topology)
    if reason:
        known = _SMALL_DEEP if chip.name in DEEP else FLAT
        return reason, f"a topology such as {', '.join(known)}"
    name, own = hardware.instance_types[0].name, hardware.per_node
    chips = count_chips(topology)
    if chips % own:
        reason = f"has {chips} chips, which hosts of {own} ({name}) cannot make up"
        return reason, f"a multiple of {own} chips"
    if chips > own and own != HOST_CHIPS:
        reason = f"needs several hosts, and a {name} stands alone"
        return reason, f"a machine of {HOST_CHIPS} chips, or {own} chips"
    return "", ""


def _check_slice(read: Arguments, hardware: Hardware, topology: str, hosts: int) -> None:
    """A slice of several hosts is one pool: its nodes come and go together, in one zone."""
    if len(hardware.zones) != 1:
        reason = "is one slice, and needs nodes in one zone"
        read.refuse("gcp.tpu_topology", topology, reason, "exactly one zone in `zones`")
    if read.whole("max_nodes", 0) != hosts:
        reason = f"is not the {hosts} hosts of the slice {topology}"
        read.refuse("max_nodes", read.whole("max_nodes", 0), reason, f"{hosts}, a pool a slice")
    low = read.whole("min_nodes", 0)
    if low not in (0, hosts):
        reason = f"is a part of the slice {topology}, whose hosts come and go together"
        read.refuse("min_nodes", low, reason, f"0 or {hosts}")


def explain_topology(chip: str, topology: str) -> str:
    """Return why chips of a kind cannot be joined so; empty when they can."""
    deep = chip in DEEP
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*)" + ("{2}" if deep else ""), topology):
        return f"is not how {chip} is joined, in {'three' if deep else 'two'} dimensions"
    if not deep:
        return "" if topology in FLAT else f"is no slice of {chip} that Google offers"
    sides = [int(side) for side in topology.split("x")]
    # From 64 chips on, every side is a multiple of 4, the smallest first.
    whole = all(side % 4 == 0 for side in sides) and sides == sorted(sides)
    return "" if topology in _SMALL_DEEP or whole else f"is no slice of {chip} that Google offers"


def count_chips(topology: str) -> int:
    """Return how many chips a topology joins."""
    return math.prod(int(side) for side in topology.split("x"))
