"""Clients of Azure's own SDKs."""

from __future__ import annotations

from typing import Any

from azure.core.credentials import AccessToken, AzureSasCredential
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.identity import DefaultAzureCredential
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.containerservice import ContainerServiceClient

from tidegate.clouds.azure.resource_manager import HOST, ResourceManager

_FAR = 2**31
_POLLING_SECONDS = 5.0
_LIMITS: dict[str, Any] = {
    "connection_timeout": 5,
    "read_timeout": 20,
    "retry_total": 3,
    "retry_backoff_max": 8,
}


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
    return ContainerServiceClient(**_build_options(subscription, local_url))


def build_compute_client(subscription: str, local_url: str = "") -> ComputeManagementClient:
    """Return a client of Compute, with the credentials that azure-identity finds.

    Args:
        subscription: The subscription's GUID.
        local_url: As for `build_container_client`.
    """
    return ComputeManagementClient(**_build_options(subscription, local_url))


def build_arm_client(local_url: str = "") -> ResourceManager:
    """Return a client of Resource Manager itself, for what no SDK covers.

    Args:
        local_url: As for `build_container_client`.
    """
    if local_url:
        return ResourceManager(local_url, _PlainHttp(_Anyone(), "local"), 0, **_LIMITS)
    signing = BearerTokenCredentialPolicy(DefaultAzureCredential(), f"{HOST}/.default")
    return ResourceManager(HOST, signing, _POLLING_SECONDS, **_LIMITS)


def build_metrics_client(region: str, local_url: str = "") -> Any:
    """Return a client of Azure Monitor's metrics in one region.

    Args:
        region: Where the resources stand, in Azure's spelling.
        local_url: As for `build_container_client`.
    """
    from azure.monitor.querymetrics import MetricsClient

    if local_url:
        policy = _PlainHttp(_Anyone(), "local")
        return MetricsClient(local_url, _Anyone(), authentication_policy=policy, **_LIMITS)
    url = f"https://{region}.metrics.monitor.azure.com"
    return MetricsClient(url, DefaultAzureCredential(), **_LIMITS)


def build_queue_client(account: str, queue: str, local_url: str = "") -> Any:
    """Return a client of one queue of a storage account.

    Args:
        account: The storage account's name.
        queue: The queue's.
        local_url: As for `build_container_client`; accounts stand in its path.
    """
    from azure.storage.queue import QueueClient

    if local_url:
        # The SDK asks for a signature, which nobody checks on this machine.
        anyone = AzureSasCredential("sig=local")
        return QueueClient(f"{local_url}/{account}", queue, credential=anyone, **_LIMITS)
    url = f"https://{account}.queue.core.windows.net"
    return QueueClient(url, queue, credential=DefaultAzureCredential(), **_LIMITS)


def _build_options(subscription: str, local_url: str) -> dict[str, Any]:
    if not local_url:
        return {"credential": DefaultAzureCredential(), "subscription_id": subscription, **_LIMITS}
    return {
        "credential": _Anyone(),
        "subscription_id": subscription,
        "base_url": local_url,
        "authentication_policy": _PlainHttp(_Anyone(), "local"),
        "polling_interval": 0,
        **_LIMITS,
    }
