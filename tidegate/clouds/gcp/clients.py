"""Clients of Google Cloud's own SDKs."""

from __future__ import annotations

from typing import Any

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


def build_group_clients(local_url: str = "") -> tuple[Any, Any]:
    """Return the clients of regional and of zonal managed instance groups.

    Args:
        local_url: As for `build_container_client`.
    """
    # Loaded only where a group is asked for: this SDK takes longer than all others together.
    from google.cloud import compute_v1

    options: dict[str, Any] = {}
    if local_url:
        anyone = AnonymousCredentials()  # type: ignore[no-untyped-call]
        options = {"credentials": anyone, "client_options": {"api_endpoint": local_url}}
    return (
        compute_v1.RegionInstanceGroupManagersClient(**options),
        compute_v1.InstanceGroupManagersClient(**options),
    )


def build_session() -> Any:
    """Return an HTTP session that signs requests with the application's default credentials.

    Raises:
        google.auth.exceptions.DefaultCredentialsError: There are none.
    """
    import google.auth
    from google.auth.transport.requests import AuthorizedSession

    scope = "https://www.googleapis.com/auth/monitoring.read"
    credentials, _ = google.auth.default(scopes=[scope])
    return AuthorizedSession(credentials)  # type: ignore[no-untyped-call]
