"""A number by a Prometheus query."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import httpx

from tidegate.sources.config import PrometheusSource
from tidegate.sources.counted import Count, to_count
from tidegate.vocabulary.reports import SourceFault

MOST_BYTES = 4 * 1024 * 1024


def count_query(settings: PrometheusSource, http: httpx.Client) -> Callable[[], Count]:
    """Return what asks Prometheus, and sums what it answers."""

    def fetch() -> Count:
        try:
            answer = http.get(
                f"{settings.url.rstrip('/')}/api/v1/query",
                params={"query": settings.query, "timeout": f"{settings.timeout_seconds:.0f}s"},
                headers=_read_token(settings.token_environment),
                timeout=settings.timeout_seconds,
            )
        except httpx.HTTPError as error:
            text = f"{settings.url} does not answer: {type(error).__name__}: {error}"
            raise SourceFault(text) from error
        return Count(_sum_values(_read(settings, answer), settings))

    return fetch


def _read_token(variable: str) -> dict[str, str]:
    token = os.environ.get(variable, "") if variable else ""
    if variable and not token:
        raise SourceFault(f"the environment variable {variable} holds no token")
    return {"Authorization": f"Bearer {token}"} if token else {}


def _read(settings: PrometheusSource, answer: httpx.Response) -> dict[str, Any]:
    if len(answer.content) > MOST_BYTES:
        raise SourceFault(f"{settings.url} answers {len(answer.content)} bytes")
    try:
        body = answer.json()
    except ValueError as error:
        text = f"{settings.url} answers {answer.status_code}, and no JSON"
        raise SourceFault(text) from error
    if not isinstance(body, dict) or body.get("status") != "success":
        said = body.get("error") if isinstance(body, dict) else body
        raise SourceFault(f"{settings.url} refuses the query: {said}")
    return dict(body["data"])


def _sum_values(data: dict[str, Any], settings: PrometheusSource) -> int:
    kind, result = data.get("resultType"), data.get("result")
    if kind == "scalar" and isinstance(result, list) and len(result) == 2:
        return to_count(result[1], settings.query)
    if kind != "vector" or not isinstance(result, list):
        raise SourceFault(f"{settings.query} answers a {kind}, and no number")
    if not result and not settings.empty_is_zero:
        raise SourceFault(f"{settings.query} answers no series, which is not the same as 0")
    return sum(to_count(series["value"][1], settings.query) for series in result)
