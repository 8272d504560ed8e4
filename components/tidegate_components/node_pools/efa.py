"""Which accelerated EC2 types have Elastic Fabric Adapters, and how they are attached."""

from __future__ import annotations

from typing import Any

EFA_RESOURCE = "vpc.amazonaws.com/efa"
"""The extended resource of AWS's EFA device plugin."""

_TYPES_BY_ADAPTERS = {
    1: (
        "dl2q.24xlarge g4dn.12xlarge g4dn.16xlarge g4dn.8xlarge g4dn.metal g5.12xlarge "
        "g5.16xlarge g5.24xlarge g5.48xlarge g5.8xlarge g6.12xlarge g6.16xlarge g6.24xlarge "
        "g6.48xlarge g6.8xlarge g6e.12xlarge g6e.16xlarge g6e.8xlarge g7.12xlarge g7.24xlarge "
        "g7.8xlarge g7e.12xlarge g7e.8xlarge gr6.8xlarge inf1.24xlarge p3dn.24xlarge p5.4xlarge "
        "trn2.3xlarge"
    ),
    2: "g6e.24xlarge g7.48xlarge g7e.24xlarge",
    4: "g6e.48xlarge g7e.48xlarge p4d.24xlarge p4de.24xlarge",
    8: "p6-b200.48xlarge trn1.32xlarge",
    16: "p5en.48xlarge p6-b300.48xlarge trn1n.32xlarge trn2.48xlarge",
    32: "p5.48xlarge p5e.48xlarge",
}
"""AWS EC2 DescribeInstanceTypes, `NetworkInfo.EfaInfo.MaximumEfaInterfaces` of accelerated types,
as recorded in moto 5.2.5, read 2026-11-30."""

_ADAPTERS = {name: count for count, names in _TYPES_BY_ADAPTERS.items() for name in names.split()}
_PLAIN_FIRST_CARD = frozenset({"p6-b300.48xlarge"})
"""Types with one network card more than adapters; the first takes none (the same source)."""


def count_adapters(instance_type: str) -> int:
    """Return how many Elastic Fabric Adapters a type has; 0 where none is known."""
    return _ADAPTERS.get(instance_type, 0)


def build_network_interfaces(instance_type: str, security_groups: Any) -> list[dict[str, Any]]:
    """Return one interface for each network card, with an adapter wherever the card takes one.

    A template that names interfaces must name their security groups there.
    """
    plain = instance_type in _PLAIN_FIRST_CARD
    first = {"device_index": 0, "interface_type": "interface" if plain else "efa"}
    # Adapters without an address of their own: a p5 would take 32 of a subnet's otherwise.
    others = {"device_index": 1, "interface_type": "efa-only"}
    return [
        {
            **(others if card else first),
            "network_card_index": card,
            "delete_on_termination": "true",
            "security_groups": security_groups,
        }
        for card in range(count_adapters(instance_type) + plain)
    ]
