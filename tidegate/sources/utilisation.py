"""Sources of utilisation: which there are, and what makes their answers reports.

They are asked for a time in steps. Numbers that cannot be, and answers that are too old, are
faults: what is not known must not look idle.
"""

# ruff: noqa: RUF012 - pydantic copies the default of a field for each document

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from tidegate.manifest.document import Document
from tidegate.sources.patterns import Name, Url
from tidegate.vocabulary.reports import SourceFault
from tidegate.vocabulary.use import Shows, UsePoint, UseReport

WINDOW_SECONDS = 3 * 3600
DAY_SECONDS = 26 * 3600
"""What rightsizing looks at: a day, and what a metric may lag."""
MOST_POINTS = 11_000
"""Prometheus answers no more of one series; the clouds answer less."""
AHEAD = timedelta(seconds=60)
"""How far ahead a stamp may be: two clocks are never the same."""
FULL = Decimal(100)
IDLE_BELOW: Mapping[Shows, Decimal] = {
    Shows.ACTIVITY: Decimal(1),
    Shows.LOAD: Decimal("0.05"),
    Shows.MEMORY: Decimal(0),
}
"""Below which a point shows no use, unless stated."""
About = Annotated[
    str, Field(pattern=r"^(notebook|endpoint|pool)/[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
]


class UseSettings(Document):
    """What every source of utilisation says of itself."""

    name: Name
    about: About
    """The notebook, endpoint or pool that it speaks of: notebook/NAME."""
    shows: Shows = Shows.LOAD
    full: Decimal = Field(default=FULL, gt=0)
    """Of load and memory: the number that means all of it."""
    idle_below: Decimal | None = Field(default=None, gt=0)
    """A share of load, or an amount of activity, below which a step shows no use."""
    window_seconds: int | None = Field(default=None, ge=600, le=14 * 86400)
    """The time that is looked at; None for what its subject needs."""
    step_seconds: int = Field(default=300, ge=60, le=3600, multiple_of=60)
    fresh_seconds: int = Field(default=900, ge=60)
    """A newest point that is older is not believed."""
    silent_means_none: bool = False
    """Of activity: a step without a point had none, where its answers otherwise come."""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.silent_means_none and self.shows is not Shows.ACTIVITY:
            raise ValueError("silence means none of activity only: load without a point is unknown")
        if (self.window_seconds or 0) / self.step_seconds > MOST_POINTS:
            raise ValueError(f"asks for more than {MOST_POINTS} points")
        return self

    def window(self) -> int:
        """Return the time that is looked at, in seconds."""
        if self.window_seconds:
            return self.window_seconds
        return DAY_SECONDS if self.about.startswith("pool/") else WINDOW_SECONDS


class PrometheusUse(UseSettings):
    """A Prometheus query; of several series the highest counts, of activity the sum."""

    kind: Literal["prometheus"]
    url: Url
    query: str = Field(min_length=1)
    timeout_seconds: float = Field(default=10, gt=0, le=60)
    token_environment: str = ""


class DcgmUse(UseSettings):
    """NVIDIA's DCGM exporter by Prometheus: a pool's mean, of anything else the busiest GPU."""

    kind: Literal["dcgm"]
    url: Url
    selector: str = Field(min_length=1)
    """Labels of the series: Hostname=~"train-.*", or namespace and pod."""
    timeout_seconds: float = Field(default=10, gt=0, le=60)
    token_environment: str = ""

    @model_validator(mode="after")
    def _is_of_machines(self) -> Self:
        if self.shows is Shows.ACTIVITY:
            raise ValueError("DCGM tells of load and memory, and of nobody's activity")
        return self

    @property
    def query(self) -> str:
        """Return the query: shares from 0 to 1, whatever `full` says."""
        own, merge = "{" + self.selector + "}", "avg" if self.about.startswith("pool/") else "max"
        if self.shows is Shows.MEMORY:
            used, free = f"DCGM_FI_DEV_FB_USED{own}", f"DCGM_FI_DEV_FB_FREE{own}"
            return f"max({used} / ({used} + {free}))"
        engine, coarse = f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{own}", f"DCGM_FI_DEV_GPU_UTIL{own}"
        return f"{merge}({engine}) or {merge}({coarse} / 100)"


class CloudWatchUse(UseSettings):
    """A metric of CloudWatch."""

    kind: Literal["cloudwatch"]
    region: str
    namespace: str
    metric: str
    dimensions: dict[str, str] = {}
    statistic: Literal["Average", "Maximum", "Minimum", "Sum", "SampleCount"] = "Maximum"


class MonitoringUse(UseSettings):
    """A metric of Cloud Monitoring; several series become one by `reducer`."""

    kind: Literal["cloud-monitoring"]
    project: str
    filter: str = Field(min_length=1)
    aligner: Literal["ALIGN_MEAN", "ALIGN_MAX", "ALIGN_SUM", "ALIGN_RATE", "ALIGN_DELTA"] = (
        "ALIGN_MAX"
    )
    reducer: Literal["REDUCE_MAX", "REDUCE_SUM", "REDUCE_MEAN"] = "REDUCE_MAX"


class AzureMonitorUse(UseSettings):
    """A metric of Azure Monitor."""

    kind: Literal["azure-monitor"]
    region: str
    resource_id: str = Field(pattern=r"^/subscriptions/")
    namespace: str
    metric: str
    aggregation: Literal["Average", "Maximum", "Total", "Count"] = "Maximum"
    filter: str = ""


Use = Annotated[
    PrometheusUse | DcgmUse | CloudWatchUse | MonitoringUse | AzureMonitorUse,
    Field(discriminator="kind"),
]
USE_KINDS: tuple[type[UseSettings], ...] = get_args(get_args(Use)[0])
Moment = tuple[datetime, Decimal]


class MeteredUse:
    """A source whose answer is a series of points."""

    def __init__(
        self,
        settings: UseSettings,
        fetch_points: Callable[[datetime, datetime], Iterable[Moment]],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Prepare.

        Args:
            settings: The source's entry in the configuration.
            fetch_points: Asks for a time, from and until; raises SourceFault.
            clock: Tells the time; points are held against it.
        """
        self.name = settings.name
        self.about = settings.about
        self._settings = settings
        self._fetch_points = fetch_points
        self._clock = clock

    def fetch(self) -> UseReport:
        """Return what was used over the time that is looked at.

        Raises:
            SourceFault: No answer, or one that cannot be believed.
        """
        settings, now = self._settings, self._clock()
        start = now - timedelta(seconds=settings.window())
        found = sorted(self._fetch_points(start, now))
        points = tuple(UsePoint(at, self._weigh(value)) for at, value in found)
        self._check(points, now)
        fallback = IDLE_BELOW[settings.shows]
        return UseReport(
            signal=self.name,
            about=self.about,
            shows=settings.shows,
            points=points,
            from_at=start,
            until_at=now,
            step_seconds=settings.step_seconds,
            fresh_seconds=settings.fresh_seconds,
            idle_below=fallback if settings.idle_below is None else settings.idle_below,
            silent_means_none=settings.silent_means_none,
        )

    def _weigh(self, value: Decimal) -> Decimal:
        settings = self._settings
        if not value.is_finite() or value < 0:
            raise SourceFault(f"{self.name} tells {value}, which is no amount of use")
        if settings.shows is Shows.ACTIVITY:
            return value
        return value if isinstance(settings, DcgmUse) else value / settings.full

    def _check(self, points: tuple[UsePoint, ...], now: datetime) -> None:
        if not points and not self._settings.silent_means_none:
            raise SourceFault(f"{self.name} has no point in {self._settings.window()} s")
        if not points:
            return
        newest = points[-1].at
        if newest > now + AHEAD:
            raise SourceFault(f"{self.name} has a point of {newest.isoformat()}, which is to come")
        age = (now - newest).total_seconds()
        if age > self._settings.fresh_seconds and not self._settings.silent_means_none:
            raise SourceFault(f"the newest point of {self.name} is {age:.0f} s old")


def merge_series(series: Iterable[Iterable[Moment]], *, add: bool) -> list[Moment]:
    """Return one value for each moment: of several series the highest, or their sum.

    A number that is none makes none of its moment, so that it is not overlooked.
    """
    merged: dict[datetime, list[Decimal]] = {}
    for points in series:
        for at, value in points:
            merged.setdefault(at, []).append(value)
    return [(at, _merge(values, add=add)) for at, values in sorted(merged.items())]


def _merge(values: Sequence[Decimal], *, add: bool) -> Decimal:
    odd = next((value for value in values if not value.is_finite()), None)
    if odd is not None:
        return odd
    return sum(values, Decimal(0)) if add else max(values)
