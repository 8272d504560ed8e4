"""Cloud Monitoring's time series: written by `timeSeries.create`, read back aligned and reduced.

A real project takes custom metrics only; here nothing runs that would write the others, so those of
Google's own services are taken too. Aligned points are stamped by the end of their period. Source:
discovery document monitoring.v3 (2026-11-30).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.log_filter import FilterError, parse_filter
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

POINT = "monitoring.googleapis.com/Point"
MOST_WRITTEN = 200
"""TimeSeries objects that one request may carry."""
MOST_KEPT = 20_000
FIRST_VALUES = ("doubleValue", "int64Value")
Values = Sequence[float]

ALIGNERS: Mapping[str, Callable[[Values, float], float]] = {
    "ALIGN_MEAN": lambda values, _seconds: fmean(values),
    "ALIGN_MAX": lambda values, _seconds: max(values),
    "ALIGN_MIN": lambda values, _seconds: min(values),
    "ALIGN_SUM": lambda values, _seconds: sum(values),
    "ALIGN_DELTA": lambda values, _seconds: sum(values),
    "ALIGN_RATE": lambda values, seconds: sum(values) / seconds,
}
REDUCERS: Mapping[str, Callable[[Values], float]] = {
    "REDUCE_MEAN": fmean,
    "REDUCE_MAX": max,
    "REDUCE_MIN": min,
    "REDUCE_SUM": sum,
}
NO_REDUCER = ("", "REDUCE_NONE")


class TimeSeries:
    """The points of all projects."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._shelf = Shelf(world.store, "gcp")

    def routes(self) -> list[Route]:
        """Return what the API answers of time series."""
        path = "/v3/projects/{project}/timeSeries"
        return [Route("POST", path, self._create), Route("GET", path, self._list)]

    def _create(self, asked: Asked, project: str) -> Answer:
        take_faults(self._world, "monitoring:TimeSeries.create", grows=False)
        given = asked.body.get("timeSeries") or []
        if not given or len(given) > MOST_WRITTEN:
            raise invalid(f"1 to {MOST_WRITTEN} time series are written at once, got {len(given)}.")
        with self._shelf.transaction():
            for series in given:
                self._write(project, series)
            prefix = f"projects/{project}/"
            for name, _ in self._shelf.items(POINT, prefix)[:-MOST_KEPT]:
                self._shelf.delete(POINT, name)
        return Answer({})

    def _write(self, project: str, series: Mapping[str, Any]) -> None:
        points = series.get("points") or []
        if not look(series, "metric.type") or len(points) != 1:
            raise invalid("A time series to write has a metric.type and exactly one point.")
        end = look(points[0], "interval.endTime")
        moment = _parse_time(end, "points[0].interval.endTime")
        value = points[0].get("value") or {}
        number = next((value[name] for name in FIRST_VALUES if name in value), None)
        if number is None:
            raise invalid("A point's value is a doubleValue or an int64Value here.")
        body = {
            "metric": {"labels": {}, **series["metric"]},
            "resource": {"type": "global", "labels": {}, **(series.get("resource") or {})},
            "at": moment.timestamp(),
            "value": float(number),
            "whole": "int64Value" in value,
        }
        name = f"projects/{project}/{moment.timestamp():017.3f}/{secrets.token_hex(4)}"
        self._shelf.put(POINT, name, body)

    def _list(self, asked: Asked, project: str) -> Answer:
        take_faults(self._world, "monitoring:TimeSeries.list", grows=False)
        query = asked.query
        if not query.get("filter"):
            raise invalid("Request was missing field 'filter'.")
        try:
            test = parse_filter(query["filter"])
        except FilterError as error:
            raise invalid(f"Could not parse the filter: {error}") from error
        end = _parse_time(query.get("interval.endTime"), "interval.endTime").timestamp()
        start = query.get("interval.startTime")
        since = _parse_time(start, "interval.startTime").timestamp() if start else end
        found = [
            point
            for point in self._shelf.find(POINT, f"projects/{project}/")
            if since < point["at"] <= end and test(point)
        ]
        series = [*_group(found)]
        aligned = _align(series, query, end) if "aggregation.alignmentPeriod" in query else series
        return Answer({"timeSeries": [_show(*each) for each in aligned if each[1]]})


Series = tuple[Body, list[tuple[float, float]]]
"""What names a series, and its moments with their values."""


def _group(points: Sequence[Body]) -> Iterator[Series]:
    groups: dict[str, Series] = {}
    for point in points:
        head = {"metric": point["metric"], "resource": point["resource"]}
        key = names.fingerprint_of(head)
        head["whole"] = point["whole"]
        groups.setdefault(key, (head, []))[1].append((point["at"], point["value"]))
    yield from groups.values()


def _align(series: Sequence[Series], query: Mapping[str, str], end: float) -> list[Series]:
    seconds = _parse_period(query["aggregation.alignmentPeriod"])
    aligner = ALIGNERS.get(query.get("aggregation.perSeriesAligner", ""))
    name = query.get("aggregation.crossSeriesReducer", "")
    if aligner is None or (name not in NO_REDUCER and name not in REDUCERS):
        raise invalid(
            f"The aligner is one of {', '.join(ALIGNERS)} here, the reducer one of "
            f"{', '.join(REDUCERS)}."
        )
    aligned = [
        ({**head, "whole": False}, _align_points(points, seconds, end, aligner))
        for head, points in series
    ]
    return aligned if name in NO_REDUCER else _reduce(aligned, REDUCERS[name])


def _align_points(
    points: Sequence[tuple[float, float]],
    seconds: float,
    end: float,
    aligner: Callable[[Values, float], float],
) -> list[tuple[float, float]]:
    """Return a value for each period that ends a whole number of periods before the end."""
    periods: dict[float, list[float]] = {}
    for at, value in points:
        back = (end - at) // seconds
        periods.setdefault(end - back * seconds, []).append(value)
    return [(at, aligner(values, seconds)) for at, values in sorted(periods.items())]


def _reduce(series: Sequence[Series], reducer: Callable[[Values], float]) -> list[Series]:
    moments: dict[float, list[float]] = {}
    for _, points in series:
        for at, value in points:
            moments.setdefault(at, []).append(value)
    if not series:
        return []
    head = {
        "metric": {"type": series[0][0]["metric"]["type"], "labels": {}},
        "resource": {"type": series[0][0]["resource"]["type"], "labels": {}},
        "whole": False,
    }
    return [(head, [(at, reducer(values)) for at, values in sorted(moments.items())])]


def _show(head: Body, points: Sequence[tuple[float, float]]) -> Body:
    """Return a series, newest point first."""
    whole = head["whole"]
    shown = []
    for at, value in reversed(points):
        moment = datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
        number: Body = {"int64Value": str(int(value))} if whole else {"doubleValue": value}
        shown.append({"interval": {"startTime": moment, "endTime": moment}, "value": number})
    return {
        "metric": head["metric"],
        "resource": head["resource"],
        "metricKind": "GAUGE",
        "valueType": "INT64" if whole else "DOUBLE",
        "points": shown,
    }


def _parse_time(text: Any, where: str) -> datetime:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError as error:
        raise invalid(f"Field {where} is no time: {text!r}.") from error


def _parse_period(text: str) -> float:
    number = text.removesuffix("s")
    if not number.isdecimal() or int(number) < 60:
        raise invalid(f"aggregation.alignmentPeriod must be at least 60s, got {text!r}.")
    return float(number)
