"""Clients of Google Cloud's own SDKs."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from importlib.machinery import ModuleSpec
from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud import container_v1

_LOADING = threading.Lock()


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
    regional, zonal = _load_group_clients()
    options: dict[str, Any] = {}
    if local_url:
        anyone = AnonymousCredentials()  # type: ignore[no-untyped-call]
        options = {"credentials": anyone, "client_options": {"api_endpoint": local_url}}
    return regional(**options), zonal(**options)


def _load_group_clients() -> tuple[Any, Any]:
    """Return the two classes without the hundred others of their package.

    The package's own `__init__` imports every service of Compute Engine, which takes longer than
    all other SDKs together; an empty package in its place lets the two be found.
    """
    name = "google.cloud.compute_v1"
    with _LOADING:
        stand_in = None
        if name not in sys.modules:
            spec = importlib.util.find_spec(name)
            assert spec is not None
            stand_in = importlib.util.module_from_spec(ModuleSpec(name, None, is_package=True))
            stand_in.__path__ = list(spec.submodule_search_locations or ())
            sys.modules[name] = stand_in
        try:
            services = f"{name}.services"
            regional = importlib.import_module(f"{services}.region_instance_group_managers")
            zonal = importlib.import_module(f"{services}.instance_group_managers")
        finally:
            if stand_in is not None:
                del sys.modules[name]
    return regional.RegionInstanceGroupManagersClient, zonal.InstanceGroupManagersClient


def build_session(right: str, local_url: str = "") -> Any:
    """Return an HTTP session that signs requests with the application's default credentials.

    Args:
        right: The scope that is asked for, as it ends ("pubsub", "monitoring.read").
        local_url: As for `build_container_client`.

    Raises:
        google.auth.exceptions.DefaultCredentialsError: There are none.
    """
    import google.auth
    from google.auth.transport.requests import AuthorizedSession

    if local_url:
        anyone = AnonymousCredentials()  # type: ignore[no-untyped-call]
        return AuthorizedSession(anyone)  # type: ignore[no-untyped-call]
    scope = f"https://www.googleapis.com/auth/{right}"
    credentials, _ = google.auth.default(scopes=[scope])
    return AuthorizedSession(credentials)  # type: ignore[no-untyped-call]
