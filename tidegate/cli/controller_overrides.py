"""A person's word on a pool: paused, pinned, or scaled again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from tidegate.cli.controller_options import (
    DatabaseOption,
    ProjectOption,
    StateDirOption,
    open_store,
)
from tidegate.cli.output import render_time
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.problems import Unavailable, refuse, suggest
from tidegate.vocabulary.records import OverrideRecord
from tidegate.vocabulary.wording import render_override

PoolArgument = Annotated[str, typer.Argument(help="A pool's id.")]
OwnerOption = Annotated[str, typer.Option("--owner", help="Who says so; shown with each hold.")]
HoursOption = Annotated[
    float, typer.Option("--hours", min=0.01, max=720, help="When it lapses by itself.")
]


def pause(
    pool: PoolArgument,
    owner: OwnerOption,
    hours: HoursOption,
    nodes: Annotated[
        int | None,
        typer.Option(min=0, help="Pin it to this size, within what is declared, instead."),
    ] = None,
    project: ProjectOption = Path(),
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
) -> None:
    """Leave a pool as it is, or pin it to a size; holds from the next turn on, until it lapses."""
    store = open_store(project, state_dir, database)
    until = datetime.now(UTC) + timedelta(hours=hours)
    _require_known(pool, _read_pools(store))
    _require_owner(owner)
    _refuse_without_effect(store, pool, nodes)
    store.record_override(OverrideRecord(pool, owner, until, nodes))
    typer.echo(f"{pool} is {render_override(pool, nodes)} until {render_time(until)}")


def snooze(
    name: Annotated[
        str, typer.Argument(help="A notebook or an endpoint: NAME, notebook/NAME, endpoint/NAME.")
    ],
    owner: OwnerOption,
    hours: HoursOption,
    project: ProjectOption = Path(),
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
) -> None:
    """Let an idle notebook or endpoint go on until the time is over; `resume` takes it back.

    Its cloud's own idle shutdown, where there is one, knows nothing of it.
    """
    store = open_store(project, state_dir, database)
    until = datetime.now(UTC) + timedelta(hours=hours)
    found = _find_reapable(store, name)
    _require_owner(owner)
    store.record_override(OverrideRecord(found, owner, until))
    typer.echo(f"{found} goes on until {render_time(until)}")


def _find_reapable(store: Any, name: str) -> str:
    """Return the one notebook or endpoint of a name that the last turn looked at."""
    known = _read_reapables(store)
    fitting = find_called(name, known)
    if fitting:
        return fitting
    hint = suggest(name, {*known, *(each.partition("/")[2] for each in known)})
    expected = ", ".join(sorted(known)) or "one that Tidegate may stop; the stack has none"
    raise refuse("controller", "NAME", name, f"is not known{hint}", expected)


def _read_reapables(store: Any) -> list[str]:
    snapshot = store.read_snapshot() or {}
    return [str(each["id"]) for each in snapshot.get("idle", ())]


def find_called(name: str, known: Iterable[str]) -> str | None:
    """Return what a name means, which may leave out `notebook/` or `endpoint/`.

    Raises:
        InvalidInput: It is the name of two.
    """
    known = list(known)
    if name in known:
        return name
    fitting = sorted(each for each in known if name == each.partition("/")[2])
    if len(fitting) > 1:
        raise refuse("controller", "NAME", name, "is the name of two", ", ".join(fitting))
    return fitting[0] if fitting else None


def resume(
    name: Annotated[str, typer.Argument(help="A pool, a notebook or an endpoint.")],
    project: ProjectOption = Path(),
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
) -> None:
    """Take a pause, a pin or a snooze back. Exit code 1 when there is none."""
    store = open_store(project, state_dir, database)
    found = find_called(name, [each.pool for each in store.read_overrides()]) or name
    if not store.drop_override(found):
        raise Unavailable(f"{found} is neither paused, pinned nor snoozed")
    typer.echo(f"{found} is {'looked at' if '/' in found else 'scaled'} again")


def find_known(store: Any, name: str) -> str:
    """Return the pool, notebook or endpoint that a name means, of those that the last turn saw.

    Raises:
        InvalidInput: It saw none of that name.
    """
    pools, reapables = _read_pools(store), _read_reapables(store)
    if name in pools:
        return name
    found = find_called(name, reapables) or name
    _require_known(found, [*pools, *reapables])
    return found


def find_seen(store: Any, pool: str) -> dict[str, Any] | None:
    """Return a pool as the last turn saw it; None where it saw none of that id."""
    snapshot = store.read_snapshot() or {}
    return next((each for each in snapshot.get("pools", ()) if each["id"] == pool), None)


def _read_pools(store: Any) -> list[str]:
    tick = store.read_last_tick()
    return tick.pools.split(",") if tick is not None else []


def _require_known(name: str, known: Sequence[str]) -> None:
    if name not in known:
        expected = ", ".join(known) or "a pool, once a turn was finished"
        raise refuse("controller", "POOL", name, f"is not known{suggest(name, known)}", expected)


def _require_owner(owner: str) -> None:
    if not owner.strip():
        raise refuse("controller", "--owner", owner, "names nobody", "who answers for it")


def _refuse_without_effect(store: Any, pool: str, nodes: int | None) -> None:
    """Refuse a word on a pool that something else scales, or a size that it may not have."""
    seen = find_seen(store, pool)
    if seen is None:
        return
    if seen["scaler"] != Scaler.TIDEGATE.value:
        reason = f"is scaled by {seen['scaler']}, and only observed"
        raise refuse("controller", "POOL", pool, reason, "a pool that Tidegate scales")
    if nodes is not None and not seen["min"] <= nodes <= seen["max"]:
        expected = f"{seen['min']} to {seen['max']}, as declared"
        raise refuse("controller", "--nodes", nodes, f"is no size of {pool}", expected)
