"""Clients of Google Cloud's own SDKs."""

from __future__ import annotations

from google.auth.credentials import AnonymousCredentials
from google.cloud import container_v1


def build_container_client(local_url: str = "") -> container_v1.ClusterManagerClient:
    """Return a client of GKE, with the application's default credentials.

    Args:
        local_url: Where a cloud on this machine answers, which asks for no credentials; empty
            for Google's own.
    """
    if not local_url:
        return container_v1.ClusterManagerClient()
    return container_v1.ClusterManagerClient(
        transport="rest",
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        client_options={"api_endpoint": local_url},
    )
