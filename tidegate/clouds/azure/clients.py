"""Clients of Azure's own SDKs."""

from __future__ import annotations

from typing import Any

from azure.core.credentials import AccessToken
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.identity import DefaultAzureCredential
from azure.mgmt.containerservice import ContainerServiceClient

_FAR = 2**31


class _Anyone:
    """A credential for a cloud on this machine, which asks for none."""

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return AccessToken("local", _FAR)


class _PlainHttp(BearerTokenCredentialPolicy):  # type: ignore[type-arg]
    """The SDK refuses tokens over plain HTTP; on loopback there is nobody to hide them from."""

    def on_request(self, request: Any) -> None:
        request.context.options["enforce_https"] = False
        super().on_request(request)


def build_container_client(subscription: str, local_url: str = "") -> ContainerServiceClient:
    """Return a client of AKS, with the credentials that azure-identity finds.

    Args:
        subscription: The subscription's GUID.
        local_url: Where a cloud on this machine answers, which asks for no credentials; empty
            for Azure's own.
    """
    if not local_url:
        return ContainerServiceClient(DefaultAzureCredential(), subscription)
    return ContainerServiceClient(
        _Anyone(),
        subscription,
        base_url=local_url,
        authentication_policy=_PlainHttp(_Anyone(), "local"),
        polling_interval=0,
    )
