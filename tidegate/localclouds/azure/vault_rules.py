"""What Azure Key Vault refuses, said of the REST body.

Source: the descriptions of the properties in pulumi-azure-native 3.29.0 and azure-mgmt-keyvault
14.1.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure

Body = Mapping[str, Any]


def check_vault(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a vault."""
    del name
    properties = body.get("properties")
    needed = {
        "tenantId": look(properties, "tenantId"),
        "sku.name": look(properties, "sku.name"),
        "sku.family": look(properties, "sku.family"),
    }
    for word, value in needed.items():
        if value is None:
            yield CheckFailure(f"properties.{word}", f"A vault needs {word}.")
    if look(properties, "enablePurgeProtection") is False:
        yield CheckFailure(
            "properties.enablePurgeProtection",
            'The property "enablePurgeProtection" cannot be set to false: leave it out.',
        )
    is_by_role = look(properties, "enableRbacAuthorization")
    is_recovered = look(properties, "createMode") == "recover"
    has_policies = look(properties, "accessPolicies") is not None
    if is_by_role in (None, False) and not is_recovered and not has_policies:
        yield CheckFailure(
            "properties.accessPolicies",
            "The property accessPolicies is required while enableRbacAuthorization is false.",
        )
