"""Which sources of demand there are: the file that the controller is started with."""

# ruff: noqa: RUF012 - pydantic copies the default of a field for each document

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from tidegate.manifest.document import Document
from tidegate.manifest.model import Window
from tidegate.manifest.times import explain_cron, explain_time_zone
from tidegate.scaling.job import Job, parse_job
from tidegate.sources.notice_config import NOTICE_KINDS, NoticeQueue
from tidegate.sources.patterns import Name, StorageAccount, Url
from tidegate.sources.utilisation import USE_KINDS, Use
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest


class CountedSource(Document):
    """A source that tells a number of equal pieces of work."""

    name: Name
    pool: str = ""
    """The pool whose work shows in this queue alone; empty where clusters tell who is busy."""
    units_per_worker: int = Field(default=1, gt=0)
    """Pieces that one worker takes on."""
    most_units: int = Field(default=1_000_000, gt=0)
    """More than this is not believed."""
    work: dict[str, Any]
    """What a worker asks for: a job as `tidegate place` reads it, without an id."""

    @field_validator("work")
    @classmethod
    def _is_a_job(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            job = parse_job("work", {**value, "id": "work"})
        except InvalidInput as error:
            raise ValueError("; ".join(str(problem) for problem in error.problems)) from error
        if not (job.accelerators or job.vcpus or job.memory_gib):
            raise ValueError("a worker that asks for nothing would fit any node without end")
        return value

    def job(self) -> Job:
        """Return what a worker asks for, as a job."""
        return parse_job(self.name, {**self.work, "id": self.name})


class SqsSource(CountedSource):
    """An SQS queue."""

    kind: Literal["sqs"]
    region: str
    queue_url: str


class PubSubSource(CountedSource):
    """A Pub/Sub subscription, by Cloud Monitoring's count of what is not acknowledged."""

    kind: Literal["pubsub"]
    project: str
    subscription: str
    fresh_seconds: int = Field(default=300, gt=0)
    """Monitoring lags: an older point is not believed."""


class StorageQueueSource(CountedSource):
    """A queue of an Azure storage account."""

    kind: Literal["storage-queue"]
    account: StorageAccount
    queue: str


class ServiceBusSource(CountedSource):
    """A queue of Azure Service Bus, or a subscription of one of its topics."""

    kind: Literal["service-bus"]
    namespace: str = Field(pattern=r"^[a-zA-Z][-a-zA-Z0-9]{4,48}[a-zA-Z0-9](\.[-a-z0-9]+){2,}$")
    """The host: acme.servicebus.windows.net."""
    queue: str = ""
    topic: str = ""
    subscription: str = ""

    @model_validator(mode="after")
    def _is_one_entity(self) -> Self:
        named = bool(self.queue), bool(self.topic), bool(self.subscription)
        if named not in ((True, False, False), (False, True, True)):
            raise ValueError("names no queue, or no topic with its subscription, or both")
        return self

    @property
    def entity(self) -> str:
        """The queue, or topic and subscription."""
        return self.queue or f"{self.topic}/{self.subscription}"


class PrometheusSource(CountedSource):
    """The sum of what a Prometheus query answers."""

    kind: Literal["prometheus"]
    url: Url
    query: str = Field(min_length=1)
    timeout_seconds: float = Field(default=10, gt=0, le=60)
    empty_is_zero: bool = False
    """An answer without a series is a fault unless this says that it means none."""
    token_environment: str = ""
    """The environment variable that holds a bearer token; the token itself never stands here."""


class CsvSource(CountedSource):
    """A file with the columns id and queuedAt, one row for each piece of work."""

    kind: Literal["csv"]
    path: str
    fresh_seconds: int | None = Field(default=None, gt=0)
    """A file that was written longer ago is not believed; None believes any."""


class ExpectedWork(Window):
    """A window, and how many pieces of work are expected while it is open."""

    units: int = Field(gt=0)

    @model_validator(mode="after")
    def _is_a_window(self) -> Self:
        for name, value, why in (
            ("cron", self.cron, explain_cron(self.cron)),
            ("timeZone", self.time_zone, explain_time_zone(self.time_zone)),
        ):
            if why:
                raise ValueError(f"{name} {value!r} {why}")
        return self


class ScheduleSource(CountedSource):
    """Work that is expected by the clock; several windows may be open at once."""

    kind: Literal["schedule"]
    windows: list[ExpectedWork] = Field(min_length=1)


class PolyaxonSource(Document):
    """Runs of some projects of a Polyaxon server."""

    kind: Literal["polyaxon"]
    name: Name
    url: Url
    owner: str = Field(default="default", pattern=r"^[-_.a-zA-Z0-9]+$")
    projects: list[Annotated[str, Field(pattern=r"^[-_.a-zA-Z0-9]+$")]] = Field(min_length=1)
    pools: list[str] = []
    """Where runs may start that select no pool: the pools of the agents' clusters; all of them
    unless stated."""
    presets: dict[str, dict[str, Any]] = {}
    """Preset → what a run that names it asks for where it does not say so itself: a job as
    `tidegate place` reads it, without an id."""
    timeout_seconds: float = Field(default=10, gt=0, le=60)
    most_runs: int = Field(default=10_000, gt=0)
    """More than this is not believed."""
    token_environment: str = ""
    """The environment variable that holds a token; the token itself never stands here."""

    @field_validator("presets")
    @classmethod
    def _are_jobs(cls, value: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        try:
            for name, work in value.items():
                parse_job(f"preset {name}", {**work, "id": name})
        except InvalidInput as error:
            raise ValueError("; ".join(str(problem) for problem in error.problems)) from error
        return value


class KubernetesSource(Document):
    """A cluster of the manifest and the kubeconfig context that reaches it."""

    kind: Literal["kubernetes"]
    name: Name = ""
    cloud: Cloud
    cluster: str
    region: str = ""
    """Where clusters of several regions share a name."""
    context: str
    kubeconfig: str = ""
    """The file that has the context; empty for the one that `kubectl` would read."""


Source = Annotated[
    SqsSource
    | PubSubSource
    | StorageQueueSource
    | ServiceBusSource
    | PrometheusSource
    | CsvSource
    | ScheduleSource
    | PolyaxonSource
    | KubernetesSource,
    Field(discriminator="kind"),
]
KINDS: tuple[type[Document], ...] = get_args(get_args(Source)[0])


FORMS = {
    "url": "an address that begins with http:// or https://",
    "name": "letters, digits, -, _, . and /, at most 128, a letter or digit first",
    "namespace": "a host, such as acme.servicebus.windows.net",
    "account": "3 to 24 lower-case letters and digits",
    "owner": "letters, digits, -, _ and .",
    "projects": "letters, digits, -, _ and .",
}
"""What would be right where a pattern holds a value, for people."""


class SourceList(Document):
    """All sources."""

    sources: list[Source] = []
    utilisation: list[Use] = []
    notices: list[NoticeQueue] = []


def parse_sources(where: str, document: object) -> SourceList:
    """Read the sources from a parsed document.

    Raises:
        InvalidInput: With one problem for each fault, or for a name that is used twice.
    """
    try:
        found = SourceList.model_validate(document if document is not None else {})
    except ValidationError as error:
        raise InvalidInput([_describe(where, fault) for fault in error.errors()]) from error
    names = [
        source.name
        for source in (*found.sources, *found.utilisation, *found.notices)
        if source.name
    ]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problems = [Problem(where, "sources", name, "is used twice", "a name") for name in twice]
        raise InvalidInput(problems)
    return found


def _describe(where: str, fault: Any) -> Problem:
    path = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        key = str(fault["loc"][-1])
        hint = suggest(key, _known_keys() - {key})
        return Problem(where, path, "", f"is not a key of a source{hint}", "only known keys")
    if fault["type"] == "missing":
        return Problem(where, path, "", "is required and is missing", "a value")
    if fault["type"].startswith("union_tag"):
        others = {"utilisation": USE_KINDS, "notices": NOTICE_KINDS}
        kinds = others.get(str(fault["loc"][0]), KINDS)
        names = [get_args(kind.model_fields["kind"].annotation)[0] for kind in kinds]
        reason = "names no kind of source"
        return Problem(where, f"{path}.kind", "", reason, f"one of {', '.join(names)}")
    if fault["type"] == "string_pattern_mismatch":
        key = next((str(part) for part in reversed(fault["loc"]) if part in FORMS), "")
        return Problem(where, path, repr(fault["input"]), "has another form", FORMS.get(key, ""))
    if fault["type"] in ("model_type", "model_attributes_type", "dict_type"):
        return Problem(where, path, repr(fault["input"]), "is no mapping", "keys with values")
    reason = fault["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return Problem(where, path, repr(fault["input"]), reason, "")


def _known_keys() -> set[str]:
    kinds: tuple[type[Document], ...] = (
        SourceList,
        ExpectedWork,
        *KINDS,
        *USE_KINDS,
        *NOTICE_KINDS,
    )
    fields = (field for kind in kinds for field in kind.model_fields.items())
    return {info.alias or name for name, info in fields}
