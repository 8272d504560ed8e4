"""Runs of Polyaxon: those that are queued ask for nodes, those that started are told.

It speaks the server's REST API. A run that its agent has picked up is pods of a cluster, and that
cluster counts them; so only queued runs are demand here, and none counts twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx

from tidegate.catalog.catalog import Catalog
from tidegate.scaling.job import build_item, parse_job
from tidegate.sources.access import sign
from tidegate.sources.config import PolyaxonSource
from tidegate.sources.pods import Chips
from tidegate.sources.polyaxon_runs import NothingAsked, read_run
from tidegate.sources.times import parse_time
from tidegate.vocabulary.demand import WorkItem, WorkShape
from tidegate.vocabulary.reports import SourceFault, WorkReport
from tidegate.vocabulary.wording import render_count

QUEUED = "queued"
STARTED = ("scheduled", "starting", "running", "processing")
PAGE = 100
TOGETHER_SECONDS = 25.0
"""For all requests of one look; what was learnt of runs by then is kept for the next."""
MOST_BYTES = 4 * 1024 * 1024
MOST_NOTES = 5
_EPOCH = datetime.fromtimestamp(0, UTC)


class PolyaxonRuns:
    """The runs of some projects."""

    def __init__(
        self, settings: PolyaxonSource, catalog: Catalog, chips: Chips, http: httpx.Client
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            settings: The source's entry.
            catalog: Knows the accelerators that presets name.
            chips: What the pools have on which runs may start.
            http: The client; its calls end within the settings' time.

        Raises:
            InvalidInput: A preset names an accelerator that the catalog does not know.
        """
        self.name = settings.name
        self._settings = settings
        self._chips = chips
        self._http = http
        self._presets = {
            name: build_item(parse_job(name, {**work, "id": name}), catalog, _EPOCH).shape
            for name, work in settings.presets.items()
        }
        self._shapes: dict[str, list[WorkShape] | NothingAsked] = {}

    def fetch(self) -> WorkReport:
        """Return an item for each queued run, and how many have started on which pool.

        Raises:
            SourceFault: The server does not answer in time, or not as Polyaxon does.
        """
        until = time.monotonic() + TOGETHER_SECONDS
        try:
            return self._read(until)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            text = f"{self._settings.url} answers what is no run of Polyaxon: {error!r}"
            raise SourceFault(text) from error

    def _read(self, until: float) -> WorkReport:
        items: list[WorkItem] = []
        notes: list[str] = []
        in_progress: dict[str, int] = {}
        started = 0
        seen: set[str] = set()
        for project, run in self._list_runs(until):
            seen.add(run["uuid"])
            shapes = self._learn(project, run, until)
            if run["status"] in STARTED:
                started += isinstance(shapes, list)  # a pipeline runs, and holds no node
                _count_pinned(shapes, self._chips, in_progress)
            elif isinstance(shapes, NothingAsked):
                notes.append(str(shapes))
            else:
                items += self._build_items(project, run, shapes)
        self._shapes = {uuid: shape for uuid, shape in self._shapes.items() if uuid in seen}
        shown = notes[:MOST_NOTES] + [f"and {len(notes) - MOST_NOTES} more"] * (
            len(notes) > MOST_NOTES
        )
        told = [f"{render_count(started, 'run')} started"] * bool(started)
        return WorkReport(tuple(items), in_progress=in_progress, notes=(*told, *shown))

    def _build_items(
        self, project: str, run: Mapping[str, Any], shapes: list[WorkShape]
    ) -> Iterator[WorkItem]:
        queued_at = parse_time(run["created_at"])
        for number, shape in enumerate(shapes):
            role = f"/{number}" if number else ""
            yield WorkItem(f"{self.name}/{project}/{run['uuid']}{role}", shape, queued_at)

    def _list_runs(self, until: float) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield every queued or started run, once, project by project, oldest first."""
        statuses = "|".join((QUEUED, *STARTED))
        known: set[str] = set()
        for project in self._settings.projects:
            offset, more = 0, True
            while more:
                query = {
                    "query": f"status:{statuses}",
                    "sort": "created_at",
                    "limit": str(PAGE),
                    "offset": str(offset),
                }
                page = self._ask(f"{project}/runs", query, until)
                for run in page["results"]:
                    if run["uuid"] not in known:  # a run that ended meanwhile shifts the pages
                        known.add(run["uuid"])
                        yield project, run
                offset += PAGE
                more = bool(page["next"]) and bool(page["results"])
                if offset > self._settings.most_runs:
                    text = f"{self.name} tells of more than {offset - PAGE} runs"
                    raise SourceFault(f"{text}, which is not believed")

    def _learn(
        self, project: str, run: Mapping[str, Any], until: float
    ) -> list[WorkShape] | NothingAsked:
        """Return what a run asks for; it is asked once, for what was compiled does not change."""
        uuid = str(run["uuid"])
        if uuid not in self._shapes:
            told = self._ask(f"{project}/runs/{uuid}", {}, until)
            name = f"run {run.get('name') or uuid}"
            self._shapes[uuid] = self._parse(told.get("content"), name)
        return self._shapes[uuid]

    def _parse(self, content: object, name: str) -> list[WorkShape] | NothingAsked:
        if not content:
            return NothingAsked(f"{name} was never compiled")
        document = json.loads(content) if isinstance(content, str) else content
        if not isinstance(document, Mapping):
            raise TypeError(f"the content of {name} is no operation")
        try:
            return read_run(document, self._chips, self._presets, name)
        except NothingAsked as nothing:
            return nothing

    def _ask(self, path: str, query: Mapping[str, str], until: float) -> dict[str, Any]:
        url = f"{self._settings.url.rstrip('/')}/api/v1/{self._settings.owner}/{path}"
        left = until - time.monotonic()
        if left <= 0:
            text = f"{self._settings.url} tells its runs too slowly: {len(self._shapes)} are known"
            raise SourceFault(f"{text}, the rest is asked next time")
        try:
            answer = self._http.get(
                url,
                params=query,
                headers=sign("Token", self._settings.token_environment),
                timeout=min(left, self._settings.timeout_seconds),
            )
        except httpx.HTTPError as error:
            text = f"{self._settings.url} does not answer: {type(error).__name__}: {error}"
            raise SourceFault(text) from error
        if answer.status_code != httpx.codes.OK:
            raise SourceFault(f"{url} answers {answer.status_code}: {_explain(answer)}")
        if len(answer.content) > MOST_BYTES:
            raise SourceFault(f"{url} answers {len(answer.content)} bytes")
        return dict(answer.json())


def _count_pinned(
    shapes: list[WorkShape] | NothingAsked, chips: Chips, in_progress: dict[str, int]
) -> None:
    """Add a run's workers to the one pool that it is pinned to; of others nobody here knows."""
    for shape in shapes if isinstance(shapes, list) else ():
        pools = shape.placement.pools
        if len(pools) == 1 and pools != chips.pools:
            in_progress[pools[0]] = in_progress.get(pools[0], 0) + shape.workers


def _explain(answer: httpx.Response) -> str:
    try:
        told = answer.json()
        return str(told.get("detail", told))[:200]
    except (ValueError, AttributeError):
        return "no reason that can be read"
