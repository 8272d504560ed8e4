"""A number by a Prometheus query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import httpx

from tidegate.sources.access import sign
from tidegate.sources.config import PrometheusSource
from tidegate.sources.counted import Count, to_count
from tidegate.vocabulary.reports import SourceFault

MOST_BYTES = 4 * 1024 * 1024


class Place(Protocol):
    """Where a Prometheus answers, as the entry of a source says it."""

    @property
    def url(self) -> str:
        """Return its URL."""
        ...

    @property
    def timeout_seconds(self) -> float:
        """Return how long it may take."""
        ...

    @property
    def token_environment(self) -> str:
        """Return the environment variable that holds a token; empty for none."""
        ...


def count_query(settings: PrometheusSource, http: httpx.Client) -> Callable[[], Count]:
    """Return what asks Prometheus, and sums what it answers."""

    def fetch() -> Count:
        asked = {"query": settings.query}
        return Count(_sum_values(ask_prometheus(http, settings, "query", asked), settings))

    return fetch


def ask_prometheus(
    http: httpx.Client, place: Place, path: str, asked: Mapping[str, str]
) -> dict[str, Any]:
    """Return the data of an answer of Prometheus' API.

    Args:
        http: Asks.
        place: Where it answers.
        path: "query" or "query_range".
        asked: The parameters.

    Raises:
        SourceFault: No answer, or one that refuses.
    """
    try:
        answer = http.get(
            f"{place.url.rstrip('/')}/api/v1/{path}",
            params={**asked, "timeout": f"{place.timeout_seconds:.0f}s"},
            headers=sign("Bearer", place.token_environment),
            timeout=place.timeout_seconds,
        )
    except httpx.HTTPError as error:
        text = f"{place.url} does not answer: {type(error).__name__}: {error}"
        raise SourceFault(text) from error
    return _read(place, answer)


def _read(place: Place, answer: httpx.Response) -> dict[str, Any]:
    if len(answer.content) > MOST_BYTES:
        raise SourceFault(f"{place.url} answers {len(answer.content)} bytes")
    try:
        body = answer.json()
    except ValueError as error:
        text = f"{place.url} answers {answer.status_code}, and no JSON"
        raise SourceFault(text) from error
    if not isinstance(body, dict) or body.get("status") != "success":
        said = body.get("error") if isinstance(body, dict) else body
        raise SourceFault(f"{place.url} refuses the query: {said}")
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
