"""The account, and names from prefixes as the AWS provider makes them."""

from __future__ import annotations

import uuid

from tidegate.localclouds.contracts import Values

ACCOUNT_ID = "123456789012"  # moto's
SUFFIX_LENGTH = 12


def choose_name(inputs: Values, property: str) -> str:
    """Return the name that was given, else the prefix with a random end."""
    name = inputs.get(property)
    if name:
        return str(name)
    return f"{inputs.get(f'{property}Prefix', '')}{uuid.uuid4().hex[:SUFFIX_LENGTH]}"
