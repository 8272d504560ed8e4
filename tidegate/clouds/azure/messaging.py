"""The administration client of Azure Service Bus, by Azure's own SDK."""

from __future__ import annotations

from typing import Any

from azure.identity import DefaultAzureCredential
from azure.servicebus.management import ServiceBusAdministrationClient

_LIMITS: dict[str, Any] = {
    "connection_timeout": 5,
    "read_timeout": 10,
    "retry_total": 1,
    "retry_backoff_max": 2,
}


def build_service_bus_client(
    namespace: str, credential: Any = None, **options: Any
) -> ServiceBusAdministrationClient:
    """Return a client of a namespace, with the credentials that azure-identity finds.

    Args:
        namespace: The host, such as acme.servicebus.windows.net.
        credential: Another credential.
        options: Further options of the SDK, such as its transport.
    """
    chosen = credential or DefaultAzureCredential()
    return ServiceBusAdministrationClient(namespace, chosen, **{**_LIMITS, **options})
