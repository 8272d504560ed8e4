"""Utilisation by range queries of Prometheus; DCGM's among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import httpx

from tidegate.sources.prometheus import ask_prometheus
from tidegate.sources.utilisation import DcgmUse, Moment, PrometheusUse, merge_series
from tidegate.vocabulary.reports import SourceFault
from tidegate.vocabulary.use import Shows


def fetch_ranges(
    settings: PrometheusUse | DcgmUse, http: httpx.Client
) -> Callable[[datetime, datetime], list[Moment]]:
    """Return what asks a Prometheus for a time; series become one."""

    def fetch(start: datetime, end: datetime) -> list[Moment]:
        step = settings.step_seconds
        asked = {
            "query": settings.query,
            # Whole steps, so that two looks see the same points.
            "start": str(int(start.timestamp()) // step * step),
            "end": str(int(end.timestamp()) // step * step),
            "step": str(step),
        }
        data = ask_prometheus(http, settings, "query_range", asked)
        result = data.get("result")
        if data.get("resultType") != "matrix" or not isinstance(result, list):
            raise SourceFault(f"{settings.query} answers no series over time")
        series = (_read_series(each, settings.query) for each in result)
        return merge_series(series, add=settings.shows is Shows.ACTIVITY)

    return fetch


def _read_series(series: Any, query: str) -> Iterator[Moment]:
    try:
        for at, value in series["values"]:
            yield datetime.fromtimestamp(float(at), UTC), Decimal(value)
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise SourceFault(f"{query} answers values that cannot be read") from error
