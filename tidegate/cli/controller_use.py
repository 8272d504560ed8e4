"""Sources of utilisation, wired: those that the file names, else what clouds tell themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from tidegate.cli.controller_queues import build_http
from tidegate.controller.reap_ports import UseSource
from tidegate.manifest.model import Manifest
from tidegate.manifest.reapables import Reapable, list_reapables, name_reapable
from tidegate.sources.utilisation import (
    AzureMonitorUse,
    CloudWatchUse,
    MeteredUse,
    Moment,
    MonitoringUse,
    UseSettings,
)
from tidegate.sources.utilisation_own import list_own_uses
from tidegate.vocabulary.fleet_state import CloudRefused
from tidegate.vocabulary.problems import refuse
from tidegate.vocabulary.reports import SourceFault

Binding = Mapping[str, str]
MARGIN_SECONDS = 1800
"""Looked at beyond the idle time: what metrics may lag, and some steps."""
LONGEST_SECONDS = 14 * 86400


def build_uses(
    manifest: Manifest,
    bindings: Mapping[str, Binding],
    given: Sequence[UseSettings],
    local_urls: Mapping[str, str],
) -> list[UseSource]:
    """Return every source of utilisation.

    Args:
        manifest: As declared.
        bindings: "notebook/NAME" or "endpoint/NAME" → what names it in its cloud's API.
        given: What the file names; a signal that it names stands in for the cloud's own.
        local_urls: Where clouds on this machine answer.

    Raises:
        InvalidInput: A source is about something that is not declared.
    """
    declared = {name_reapable(each): each for each in list_reapables(manifest)}
    _refuse_strangers(manifest, given)
    named = {(each.about, each.shows) for each in given}
    own = [
        settings
        for name, each in declared.items()
        for settings in list_own_uses(each, bindings.get(name) or {})
        if (settings.about, settings.shows) not in named
    ]
    return [_build(_widen(each, declared), local_urls) for each in (*given, *own)]


def _refuse_strangers(manifest: Manifest, given: Sequence[UseSettings]) -> None:
    known = {f"pool/{pool.id}" for pool in manifest.pools}
    known |= {name_reapable(each) for each in manifest.notebooks}
    known |= {name_reapable(each) for each in manifest.endpoints}
    for settings in given:
        if settings.about not in known:
            expected = ", ".join(sorted(known)) or "a pool, notebook or endpoint of the manifest"
            where = f"utilisation {settings.name}"
            raise refuse(where, "about", settings.about, "is not declared", expected)


def _widen(settings: UseSettings, declared: Mapping[str, Reapable]) -> UseSettings:
    """Return a source that looks as far back as the idle time asks for, where it says no more."""
    subject = declared.get(settings.about)
    if subject is None or settings.window_seconds or subject.idle_shutdown_seconds is None:
        return settings
    needed = max(settings.window(), subject.idle_shutdown_seconds + MARGIN_SECONDS)
    return settings.model_copy(update={"window_seconds": min(needed, LONGEST_SECONDS)})


def _build(settings: UseSettings, local_urls: Mapping[str, str]) -> UseSource:
    try:
        return MeteredUse(settings, _build_fetch(settings, local_urls))
    except (CloudRefused, SourceFault) as error:
        return MeteredUse(settings, _refuse_points(str(error)))


def _refuse_points(reason: str) -> Callable[[datetime, datetime], list[Moment]]:
    def fetch(_start: datetime, _end: datetime) -> list[Moment]:
        raise SourceFault(reason)

    return fetch


def _build_fetch(
    settings: UseSettings, local_urls: Mapping[str, str]
) -> Callable[[datetime, datetime], list[Moment]]:
    """Return what asks; SDKs are loaded only where one of their clouds is asked."""
    if isinstance(settings, CloudWatchUse):
        from tidegate.clouds.aws.clients import build_client
        from tidegate.sources.utilisation_clouds import fetch_cloudwatch

        return fetch_cloudwatch(settings, build_client("cloudwatch", settings.region))
    if isinstance(settings, MonitoringUse):
        from tidegate.clouds.gcp.refusals import refusing
        from tidegate.clouds.gcp.services import build_service
        from tidegate.sources.utilisation_clouds import fetch_monitoring

        url = local_urls.get("gcp", "")
        with refusing("looking for Google's credentials"):
            return fetch_monitoring(
                settings, build_service("monitoring", "v3", url, local=bool(url))
            )
    if isinstance(settings, AzureMonitorUse):
        from tidegate.clouds.azure.clients import build_metrics_client
        from tidegate.sources.utilisation_clouds import fetch_azure_monitor

        client = build_metrics_client(settings.region, local_urls.get("azure", ""))
        return fetch_azure_monitor(settings, client)
    from tidegate.sources.utilisation import DcgmUse, PrometheusUse
    from tidegate.sources.utilisation_prometheus import fetch_ranges

    assert isinstance(settings, PrometheusUse | DcgmUse)
    return fetch_ranges(settings, build_http())
