"""Azure Monitor's metrics: written as custom metrics are, read back by `metrics:getBatch`.

A real resource writes its own metrics; here nothing runs that would, so any namespace is taken by
the way of custom metrics (REST API, "Metrics - Create"). Steps are stamped by their start, and
those without a value are listed without one. Form of requests and answers:
azure-monitor-querymetrics 1.0.0, and general vendor documentation, not verified.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from tidegate.localclouds.azure.arm import Arm
from tidegate.localclouds.azure.errors import invalid_parameter, refused
from tidegate.localclouds.azure.ids import ArmId, parse_id
from tidegate.localclouds.azure.times import parse_duration, parse_time
from tidegate.localclouds.bodies import Body
from tidegate.localclouds.faults import FaultKind, judge
from tidegate.localclouds.routes import Answer, Asked, Route

POINT = "Microsoft.Insights/metricPoints"
MEMBERS = ("average", "count", "maximum", "minimum", "total")
MOST_RESOURCES = 50
TERM = re.compile(r"\s*(\w+)\s+eq\s+'([^']*)'\s*")
READ = "Microsoft.Insights/metrics/read"


class Metrics:
    """The metrics of all resources of one `Arm`."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm

    def routes(self) -> list[Route]:
        """Return what the two data planes answer."""
        return [
            Route("POST", "/subscriptions/{subscription}/metrics:getBatch", self._query),
            Route("POST", "/subscriptions/{rest...}/metrics", self._write),
        ]

    def _write(self, asked: Asked, rest: str) -> Answer:
        del rest
        resource = parse_id(asked.path.removesuffix("/metrics"))
        self._arm.get(resource)
        at = parse_time(asked.body.get("time"))
        data = (asked.body.get("data") or {}).get("baseData") or {}
        series = data.get("series") or []
        if at is None or not data.get("metric") or not data.get("namespace") or not series:
            raise invalid_parameter("data", "time, metric, namespace and series are required.")
        for each in series:
            count = float(each.get("count", 1))
            body = {
                "at": at.timestamp(),
                "metric": data["metric"],
                "namespace": data["namespace"].lower(),
                "dimensions": dict(
                    zip(data.get("dimNames") or [], each.get("dimValues") or [], strict=False)
                ),
                "minimum": float(each["min"]),
                "maximum": float(each["max"]),
                "total": float(each["sum"]),
                "count": count,
            }
            name = f"{resource.key}/{at.timestamp():017.3f}/{secrets.token_hex(4)}"
            self._arm.shelf.put(POINT, name, body)
        return Answer({})

    def _query(self, asked: Asked, subscription: str) -> Answer:
        del subscription
        self._take_faults()
        query = asked.query
        ids = [str(each) for each in asked.body.get("resourceids") or []]
        if not ids or len(ids) > MOST_RESOURCES:
            raise invalid_parameter("resourceids", f"1 to {MOST_RESOURCES} resources.")
        start, end = parse_time(query.get("starttime")), parse_time(query.get("endtime"))
        step = parse_duration(query.get("interval", "PT1M"))
        if start is None or end is None or step is None or not step:
            raise invalid_parameter("timespan", "starttime, endtime and interval are needed here.")
        wanted = [word.lower() for word in query.get("aggregation", "average").split(",")]
        if not set(wanted) <= set(MEMBERS):
            raise invalid_parameter("aggregation", f"one of {', '.join(MEMBERS)}")
        answers = []
        for text in ids:
            resource = parse_id(text)
            self._arm.get(resource)
            answers.append(
                {
                    "starttime": query["starttime"],
                    "endtime": query["endtime"],
                    "interval": query.get("interval", "PT1M"),
                    "namespace": query.get("metricnamespace", ""),
                    "resourceid": text,
                    "value": [
                        self._read(resource, name, query, (start, end, step), wanted)
                        for name in query.get("metricnames", "").split(",")
                    ],
                }
            )
        return Answer({"values": answers})

    def _take_faults(self) -> None:
        spared = set(FaultKind) - {FaultKind.THROTTLING}
        faults = self._arm.world.faults.take("azure-native", READ, spared)
        _, error = judge(faults, "azure-native")
        if error is not None:
            raise error

    def _read(
        self,
        id: ArmId,
        metric: str,
        query: Mapping[str, str],
        span: tuple[datetime, datetime, timedelta],
        wanted: Sequence[str],
    ) -> Body:
        chosen = parse_filter(query.get("filter", ""))
        namespace = query.get("metricnamespace", "").lower()
        points = [
            point
            for point in self._arm.shelf.find(POINT, f"{id.key}/")
            if point["metric"] == metric
            and point["namespace"] == namespace
            and all(point["dimensions"].get(name) == value for name, value in chosen.items())
        ]
        data = [*_step(points, span, wanted)]
        return {
            "id": f"{id}/providers/Microsoft.Insights/metrics/{metric}",
            "type": "Microsoft.Insights/metrics",
            "name": {"value": metric, "localizedValue": metric},
            "unit": "Unspecified",
            "errorCode": "Success",
            "timeseries": [{"metadatavalues": [], "data": data}],
        }


def parse_filter(text: str) -> dict[str, str]:
    """Return the dimensions that a filter names, joined by `and`.

    Raises:
        CloudError: It says more than that.
    """
    found = {}
    for term in re.split(r"\s+and\s+", text) if text else []:
        match = TERM.fullmatch(term)
        if match is None or match[2] == "*":
            raise refused("BadRequest", f"The filter '{term}' is not answered by the local Azure.")
        found[match[1]] = match[2]
    return found


def _step(
    points: Sequence[Body], span: tuple[datetime, datetime, timedelta], wanted: Sequence[str]
) -> Iterator[Body]:
    """Yield each whole step of a time, with what its points come to."""
    start, end, step = span
    seconds = step.total_seconds()
    at = start.timestamp() // seconds * seconds
    while at < end.timestamp():
        inside = [point for point in points if at <= point["at"] < at + seconds]
        moment = datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
        yield {"timeStamp": moment, **(_sum_up(inside, wanted) if inside else {})}
        at += seconds


def _sum_up(points: Sequence[Body], wanted: Sequence[str]) -> Body:
    total, count = (sum(point[word] for point in points) for word in ("total", "count"))
    known = {
        "average": total / count if count else 0.0,
        "count": count,
        "maximum": max(point["maximum"] for point in points),
        "minimum": min(point["minimum"] for point in points),
        "total": total,
    }
    return {word: known[word] for word in wanted}
