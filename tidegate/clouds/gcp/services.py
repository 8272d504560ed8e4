"""Google's APIs by their own discovery documents, which the SDK carries: nothing is fetched."""

from __future__ import annotations

from typing import Any

import google_auth_httplib2  # type: ignore[import-untyped]
import httplib2  # type: ignore[import-untyped]
from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build  # type: ignore[import-untyped]
from googleapiclient.http import HttpRequest  # type: ignore[import-untyped]

TIMEOUT_SECONDS = 20
RETRIES = 2
"""Of what Google says to repeat: 429, and what failed at its own side."""
SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def build_service(name: str, version: str, url: str = "", *, local: bool = False) -> Any:
    """Return a client of one API, safe to use from several threads.

    Args:
        name: As the discovery document calls it ("notebooks").
        version: Of the API ("v2").
        url: Where it answers; empty for the document's own place.
        local: Whether that is a cloud on this machine, which asks for no credentials.

    Raises:
        google.auth.exceptions.DefaultCredentialsError: There are none.
    """
    credentials = AnonymousCredentials() if local else _find_credentials()  # type: ignore[no-untyped-call]

    def build_request(_http: Any, *arguments: Any, **named: Any) -> Any:
        # A connection of httplib2 must not be shared by threads, so each request has its own.
        return HttpRequest(_connect(credentials), *arguments, **named)

    return build(
        name,
        version,
        http=_connect(credentials),
        requestBuilder=build_request,
        client_options={"api_endpoint": url} if url else None,
        static_discovery=True,
        cache_discovery=False,
    )


def execute(request: Any) -> Any:
    """Return what a request answers; what may pass by itself is asked again."""
    return request.execute(num_retries=RETRIES)


def _find_credentials() -> Any:
    import google.auth

    found, _ = google.auth.default(scopes=[SCOPE])
    return found


def _connect(credentials: Any) -> Any:
    return google_auth_httplib2.AuthorizedHttp(
        credentials, http=httplib2.Http(timeout=TIMEOUT_SECONDS)
    )
