"""What Azure's SDKs need to speak to a cloud on this machine."""

from __future__ import annotations

from typing import Any

from azure.core.credentials import AccessToken
from azure.core.pipeline.policies import BearerTokenCredentialPolicy

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


class Anyone:
    """A credential for a cloud on this machine, which asks for none."""

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return AccessToken("local", 2**31)


class Loopback(BearerTokenCredentialPolicy):
    """The SDK refuses tokens over plain HTTP; on loopback there is nobody to hide them from."""

    def on_request(self, request: Any) -> None:
        request.context.options["enforce_https"] = False
        super().on_request(request)


def azure_options(url: str, subscription: str = SUBSCRIPTION) -> dict[str, Any]:
    """Return the arguments of an azure-mgmt client that reaches the local cloud."""
    return {
        "credential": Anyone(),
        "subscription_id": subscription,
        "base_url": url,
        "authentication_policy": Loopback(Anyone(), "local"),
        "polling_interval": 0,
    }
