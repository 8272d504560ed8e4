"""Kubernetes quantities ("500m", "16Gi", 8) as numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

FACTORS = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate("kMGTPE", 1)},
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", 1)},
}


def parse_quantity(value: Any) -> Decimal:
    """Return a quantity as a number; its grammar was checked before.

    >>> parse_quantity("16Gi") == 16 * 1024**3, parse_quantity("500m"), parse_quantity(8)
    (True, Decimal('0.500'), Decimal('8'))
    """
    text = str(value)
    for length in (2, 1):
        factor = FACTORS.get(text[-length:])
        if factor is not None:
            return Decimal(text[:-length]) * factor
    return Decimal(text)
