"""Kubernetes' quantities as whole numbers."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, InvalidOperation

SUFFIXES = {
    "": Decimal(1),
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "k": Decimal(10) ** 3,
    "M": Decimal(10) ** 6,
    "G": Decimal(10) ** 9,
    "T": Decimal(10) ** 12,
    "P": Decimal(10) ** 15,
    "Ki": Decimal(2) ** 10,
    "Mi": Decimal(2) ** 20,
    "Gi": Decimal(2) ** 30,
    "Ti": Decimal(2) ** 40,
    "Pi": Decimal(2) ** 50,
}
MEBIBYTE = Decimal(2) ** 20


def parse_quantity(text: object) -> Decimal:
    """Return a quantity ("500m", "8", "2Gi") as a number.

    Raises:
        ValueError: It is none, or negative.
    """
    written = str(text).strip()
    number = written.rstrip("KMGTPkmnui")
    suffix = written[len(number) :]
    try:
        found = Decimal(number) * SUFFIXES[suffix]
    except (InvalidOperation, KeyError) as error:
        raise ValueError(f"{written!r} is no quantity") from error
    if not found.is_finite() or found < 0:
        raise ValueError(f"{written!r} is no quantity that can be asked for")
    return found


def to_milli(quantity: Decimal) -> int:
    """Return thousandths, rounded up."""
    return int((quantity * 1000).to_integral_value(ROUND_CEILING))


def to_mebibytes(quantity: Decimal) -> int:
    """Return mebibytes, rounded up."""
    return int((quantity / MEBIBYTE).to_integral_value(ROUND_CEILING))
