"""A person's word on a pool: paused, pinned, or scaled again."""

from __future__ import annotations

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
from tidegate.vocabulary.problems import Unavailable, nearest, refuse
from tidegate.vocabulary.records import OverrideRecord

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
    _require_known(store, pool)
    store.record_override(OverrideRecord(pool, owner, until, nodes))
    what = "paused" if nodes is None else f"pinned to {nodes} nodes"
    typer.echo(f"{pool} is {what} until {until:%Y-%m-%d %H:%M:%SZ}")


def resume(
    pool: PoolArgument,
    project: ProjectOption = Path(),
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
) -> None:
    """Take a pause or a pin back. Exit code 1 when there is none."""
    store = open_store(project, state_dir, database)
    if not store.drop_override(pool):
        raise Unavailable(f"{pool} is neither paused nor pinned")
    typer.echo(f"{pool} is scaled again")


def _require_known(store: Any, pool: str) -> None:
    """Refuse a pool that the last turn did not see."""
    tick = store.read_last_tick()
    known = tick.pools.split(",") if tick is not None else []
    if pool not in known:
        guess = nearest(pool, known)
        hint = f" (did you mean {guess!r}?)" if guess else ""
        raise refuse("controller", "POOL", pool, f"is not known{hint}", ", ".join(known))
