"""What was billed, by pool and by commitment, in each currency for itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.review.used_hours import UsedHours

PoolKey = tuple[str, str]
"""A pool, empty for what no pool's label names, and a currency."""

CommitmentKey = tuple[str, str]
"""What a bill calls a commitment, and a currency."""


@dataclass(slots=True)
class PoolBill:
    """What one pool was charged.

    Attributes:
        billed: As it stands on the invoice.
        effective: With what was paid upfront spread over what it covers.
        node_hours: Hours of nodes that were used, where charges are hourly and say so.
    """

    billed: Decimal = Decimal(0)
    effective: Decimal = Decimal(0)
    node_hours: Decimal = Decimal(0)


@dataclass(slots=True)
class CommitmentBill:
    """What one commitment was charged.

    Attributes:
        name: As the bill names it, for people.
        kind: The bill's kind of commitment.
        billed: As it stands on the invoice.
        used: Effective cost of the part that was used.
        unused: Effective cost of the part that was not.
    """

    name: str = ""
    kind: str = ""
    billed: Decimal = Decimal(0)
    used: Decimal = Decimal(0)
    unused: Decimal = Decimal(0)


@dataclass(slots=True)
class Charges:
    """What was billed.

    Attributes:
        rows: How many charges were read.
        pools: Pool and currency → its bill.
        commitments: Commitment and currency → its bill.
        used: Hours of nodes that were billed as used.
    """

    rows: int = 0
    pools: dict[PoolKey, PoolBill] = field(default_factory=dict)
    commitments: dict[CommitmentKey, CommitmentBill] = field(default_factory=dict)
    used: UsedHours = field(default_factory=lambda: UsedHours(from_charges=True))
