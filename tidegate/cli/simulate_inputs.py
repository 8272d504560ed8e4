"""What `tidegate simulate` is given: a history, manifests, settings; read once, at the boundary."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.catalog.yaml_text import parse_yaml_text
from tidegate.cli.text_files import read_text
from tidegate.manifest.model import Manifest
from tidegate.manifest.read import read_manifest_text
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.settings_file import parse_settings
from tidegate.scaling.supply import build_offerings, build_pools
from tidegate.simulation.setup import Faults, Setup
from tidegate.traces.history import read_history
from tidegate.traces.options import PUBLISHED, TraceOptions
from tidegate.traces.window import QueueHistory, cut_history
from tidegate.vocabulary.problems import Unavailable, refuse, suggest

DRAIN_SECONDS = 86_400
"""A simulation goes on for a day beyond the last job, so that what waits can finish."""
TAIL_SECONDS = 3600
"""And for an hour once all is done: what is kept any longer is kept for work beyond the history."""
CHECKPOINT_SECONDS = 1800
"""How often jobs of a public trace are taken to save themselves, as in the evaluation."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One manifest with one way of scaling it.

    Attributes:
        name: What results are told under.
        path: The file of the manifest.
        manifest: The manifest.
        settings: How it is scaled; the manifest's ceiling included.
    """

    name: str
    path: Path
    manifest: Manifest
    settings: ScalingSettings


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """What is wanted of a history, as the command's options say it."""

    accelerator: str | None
    cluster: str | None
    checkpoint_seconds: int | None
    since: datetime | None
    until: datetime | None


def read_arms(
    manifest: Path, compare: Path | None, settings: Path | None, compare_settings: Path | None
) -> list[Arm]:
    """Return the baseline, and the treatment where there is one.

    Raises:
        InvalidInput: For files that say nothing usable, and settings that differ in nothing.
    """
    first = _read_arm(manifest, settings)
    if compare is None and compare_settings is None:
        return [replace(first, name="simulated")]
    second = _read_arm(compare or manifest, compare_settings or settings)
    if compare is None and first.settings == second.settings:
        reason = "says the same as the baseline's settings"
        expected = "at least one setting that differs"
        raise refuse(str(compare_settings), "", None, reason, expected)
    named = _named(first, second, settings, compare_settings)
    return [replace(arm, name=name) for arm, name in zip((first, second), named, strict=True)]


def _named(
    first: Arm, second: Arm, settings: Path | None, compare_settings: Path | None
) -> tuple[str, str]:
    """Return what tells two arms apart: their manifests, else their settings."""
    names = first.path.stem, second.path.stem
    if first.path == second.path:
        names = (
            settings.stem if settings else "defaults",
            compare_settings.stem if compare_settings else "defaults",
        )
    return names if names[0] != names[1] else ("baseline", "treatment")


def _read_arm(path: Path, settings: Path | None) -> Arm:
    manifest = read_manifest_text(str(path), read_text(path))
    told = ScalingSettings()
    if settings is not None:
        told = parse_settings(str(settings), parse_yaml_text(read_text(settings), str(settings)))
    ceiling = manifest.hourly_ceiling
    if told.hourly_ceiling is None and ceiling is not None:
        told = replace(told, hourly_ceiling=ceiling.amount)
    return Arm(path.stem, path, manifest, told)


def read_source(source: str, options: HistoryOptions, arms: Sequence[Arm]) -> QueueHistory:
    """Return what is replayed: a history of one's own, or a public trace ("philly:PATH").

    Raises:
        InvalidInput: For what cannot be read, or options that do not go with it.
    """
    _check_window(options)
    name, colon, rest = source.partition(":")
    if colon and not Path(source).exists():
        _check_trace(source, name, rest)
        return _read_trace(name, Path(rest), _trace_options(source, options, arms))
    for option, value in (
        ("--cluster", options.cluster),
        ("--checkpoint-seconds", options.checkpoint_seconds),
    ):
        if value is not None:
            expected = f"one of {', '.join(f'{trace}:PATH' for trace in PUBLISHED)}"
            raise refuse(source, option, value, "is an option of public traces", expected)
    told = read_history(Path(source), options.accelerator)
    return cut_history(told, source, options.since, options.until)


def _check_trace(source: str, name: str, path: str) -> None:
    traces = ", ".join(f"{trace}:PATH" for trace in PUBLISHED)
    if name not in PUBLISHED:
        reason = f"is no file, and {name} no public trace{suggest(name, PUBLISHED)}"
        raise refuse(source, "", None, reason, f"a file that is there, or one of {traces}")
    if not path:
        raise refuse(source, "", None, "names no path", PUBLISHED[name])


def _read_trace(name: str, path: Path, options: TraceOptions) -> QueueHistory:
    # Loaded here: `tidegate --help` neither has to wait for NumPy nor needs it.
    try:
        from tidegate.traces.published import read_published
    except ModuleNotFoundError as error:
        message = f"public traces need {error.name}: install tidegate[simulate]"
        raise Unavailable(message) from error
    return read_published(name, path, options)


def _check_window(options: HistoryOptions) -> None:
    if options.since and options.until and options.until <= options.since:
        told = f"{options.until:%Y-%m-%dT%H:%MZ}"
        raise refuse("--until", "", told, "is not after --from", "a later moment")


def _trace_options(source: str, options: HistoryOptions, arms: Sequence[Arm]) -> TraceOptions:
    pools = [[pool for pool in arm.manifest.pools if pool.accelerator] for arm in arms]
    kinds = sorted({pool.accelerator for mine in pools for pool in mine})
    chip = options.accelerator
    if chip is None or chip not in kinds:
        reason = "is needed: the trace names no kind" if chip is None else "is in no pool"
        raise refuse(source, "--accelerator", chip, reason, f"one of {', '.join(kinds)}")
    # Gangs are cut so that they fit nodes of every manifest that is compared.
    sizes = [[p.accelerators_per_node for p in mine if p.accelerator == chip] for mine in pools]
    return TraceOptions(
        accelerator=chip,
        node_size=min(max(mine, default=1) for mine in sizes),
        checkpoint_seconds=CHECKPOINT_SECONDS
        if options.checkpoint_seconds is None
        else options.checkpoint_seconds,
        cluster=options.cluster,
        since=options.since,
        until=options.until,
    )


def parse_moment(option: str, told: str | None) -> datetime | None:
    """Return an end of the window; without a zone it is UTC.

    Raises:
        InvalidInput: For what is no moment.
    """
    if told is None:
        return None
    try:
        moment = datetime.fromisoformat(told)
    except ValueError as error:
        expected = "a day or a time (2017-10-01, 2017-10-01T12:00Z)"
        raise refuse(option, "", told, "is no time", expected) from error
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def build_setup(
    told: QueueHistory, arm: Arm, overlay: list[Path] | None, seed: int, losses: float
) -> Setup:
    """Return the simulation of a manifest; what nobody can price is refused, with its names."""
    catalog = load_catalog(overlay)
    targets = any(job.shape.wait_target_seconds is not None for job in told.jobs)
    return Setup(
        jobs=told.jobs,
        pools=build_pools(arm.manifest, catalog),
        market=_build_market(told, arm, catalog),
        end=told.end + DRAIN_SECONDS,
        tail_seconds=TAIL_SECONDS,
        start=told.start,
        divisible=told.divisible,
        # Losses are to be repeatable, not secret.
        faults=Faults(random.Random(seed), spot_lost_per_hour=losses),  # noqa: S311
        counts_arrivals=targets or arm.settings.warm_share is not None,
    )


def _build_market(told: QueueHistory, arm: Arm, catalog: Catalog) -> Offerings:
    ceiling = arm.manifest.hourly_ceiling
    currency = ceiling.currency if ceiling else "USD"
    offerings = build_offerings(arm.manifest, catalog, currency=currency)
    chips = {job.shape.accelerators[0].accelerator for job in told.jobs}
    usable = [entry for entry in offerings.offerings if entry.room.accelerator in chips]
    if not usable:
        pools = sorted({entry.room.accelerator or "none" for entry in offerings.offerings})
        reason = f"has no pool with {', '.join(sorted(chips))}"
        raise refuse(str(arm.path), "pools", None, reason, f"one of {', '.join(pools)} in the jobs")
    unpriced = [entry.id for entry in usable if entry.per_hour is None]
    if unpriced:
        reason = f"has offerings without a known price: {', '.join(unpriced)}"
        raise refuse(str(arm.path), "pools", None, reason, "prices by --overlay")
    return Offerings(
        tuple(usable),
        offerings.currency,
        quotas=offerings.quotas,
        commitments=offerings.commitments,
    )
