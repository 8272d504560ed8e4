"""Sources of demand that are no clusters, each with its client."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Pool
from tidegate.ports import Runs, WorkSource
from tidegate.sources.config import (
    CountedSource,
    CsvSource,
    PolyaxonSource,
    PrometheusSource,
    PubSubSource,
    ScheduleSource,
    ServiceBusSource,
    Source,
    SqsSource,
    StorageQueueSource,
)
from tidegate.vocabulary.fleet_state import CloudRefused
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.reports import SourceFault, WorkReport

if TYPE_CHECKING:
    from tidegate.sources.pods import Chips


class Unreachable:
    """A source that can never answer: what it lacks is told at every tick."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def fetch(self) -> WorkReport:
        """Say why there is no answer.

        Raises:
            SourceFault: Always.
        """
        raise SourceFault(self._reason)


def build_chips(pools: Sequence[Pool], catalog: Catalog) -> Chips:
    """Return the accelerators of pools by the resource that pods request."""
    from tidegate.sources.pods import Chips

    by_resource: dict[str, list[str]] = {}
    for pool in pools:
        chip = catalog.accelerators.get(pool.accelerator)
        if chip is not None:
            names = by_resource.setdefault(chip.kubernetes_resource, [])
            names += [pool.accelerator] * (pool.accelerator not in names)
    return Chips(by_resource, tuple(pool.id for pool in pools))


def build_source(
    source: Source, pools: Sequence[Pool], catalog: Catalog, local_urls: Mapping[str, str]
) -> WorkSource:
    """Return a source that is no cluster; one that cannot be asked says why at every turn.

    Args:
        source: Its entry in the sources' file.
        pools: All that are declared.
        catalog: Knows accelerators by their names.
        local_urls: Cloud → where a cloud on this machine answers.

    Raises:
        InvalidInput: The work names an accelerator that the catalog does not know.
    """
    from tidegate.sources.counted import CountedWork
    from tidegate.sources.csv_file import CsvWork

    try:
        if isinstance(source, CsvSource):
            return CsvWork(source, catalog)
        if isinstance(source, PolyaxonSource):
            return _build_polyaxon(source, pools, catalog)
        assert isinstance(source, CountedSource)
        return CountedWork(source, catalog, _build_count(source, local_urls))
    except (CloudRefused, SourceFault) as error:
        return Unreachable(source.name, str(error))
    except InvalidInput as error:
        problems = [replace(each, where=f"source {source.name}") for each in error.problems]
        raise InvalidInput(problems) from error


def _build_polyaxon(source: PolyaxonSource, pools: Sequence[Pool], catalog: Catalog) -> WorkSource:
    from tidegate.sources.polyaxon import PolyaxonRuns

    mine = [pool for pool in pools if not source.pools or pool.id in source.pools]
    return PolyaxonRuns(source, catalog, build_chips(mine, catalog), build_http())


def build_runs(sources: Sequence[Source]) -> Runs | None:
    """Return what stops and resumes runs on the Polyaxon servers of the sources' file, if any."""
    servers = [source for source in sources if isinstance(source, PolyaxonSource)]
    if not servers:
        return None
    from tidegate.sources.polyaxon_control import PolyaxonControl

    return PolyaxonControl(servers, build_http())


def build_http() -> Any:
    """Return a client; it follows the environment's proxies only where HTTPS_PROXY names one."""
    import httpx

    return httpx.Client(trust_env="HTTPS_PROXY" in os.environ)


def _build_count(source: Any, local_urls: Mapping[str, str]) -> Callable[[], Any]:
    from tidegate.sources import queues

    if isinstance(source, SqsSource):
        from tidegate.clouds.aws.clients import build_client

        return queues.count_sqs(source, build_client("sqs", source.region))
    if isinstance(source, StorageQueueSource):
        from tidegate.clouds.azure.clients import build_queue_client

        url = local_urls.get("azure", "")
        client = build_queue_client(source.account, source.queue, url)
        return queues.count_storage_queue(source, client)
    if isinstance(source, ServiceBusSource):
        from tidegate.clouds.azure.messaging import build_service_bus_client
        from tidegate.sources.service_bus import count_messages

        if local_urls:
            raise SourceFault("the local clouds have no Service Bus")
        return count_messages(source, build_service_bus_client(source.namespace))
    if isinstance(source, ScheduleSource):
        from tidegate.sources.schedule import count_expected

        return count_expected(source)
    if isinstance(source, PubSubSource):
        from tidegate.clouds.gcp.clients import build_session
        from tidegate.clouds.gcp.refusals import refusing

        with refusing("looking for Google's credentials"):
            return queues.count_subscription(source, build_session("monitoring.read"))
    assert isinstance(source, PrometheusSource)
    from tidegate.sources.prometheus import count_query

    return count_query(source, build_http())
