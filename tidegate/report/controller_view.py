"""What the controller's page says, from its status: tiles, what needs a look, and rows. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from tidegate.vocabulary.wording import render_amount, render_count, render_override

Status = Mapping[str, Any]

STALE_SECONDS = 120
"""A last turn that lies back longer is told to be old."""
NEARLY = Decimal("0.95")
"""The share of its ceiling from which a fleet is close to it."""
PHASES = (
    "busy", "ready", "idle", "in-flight", "draining", "interrupted", "failed", "stopped",
)  # fmt: skip
"""In the order of a bar, from the left."""
BAR = 200
SAID = frozenset({"paused", "pinned", "unread"})
"""Causes of holds that a pool's row tells in other words, from where they come."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure at the top.

    Attributes:
        title: What it is.
        value: The figure.
        notes: What it consists of, or is held against.
        share: Of its limit, from 0 to 1; None without a limit.
    """

    title: str
    value: str
    notes: Sequence[str] = ()
    share: Decimal | None = None

    @property
    def is_nearly_full(self) -> bool:
        """Whether it is close to its limit."""
        return self.share is not None and self.share >= NEARLY


@dataclass(frozen=True, slots=True)
class Trouble:
    """What needs a look; `is_fault` where nothing works, and not merely less."""

    text: str
    is_fault: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar: nodes of one phase, in units of the bar's width."""

    phase: str
    nodes: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One pool."""

    id: str
    place: str
    machine: str
    bought: str
    scaler: str
    size: str
    segments: Sequence[Segment]
    cost: str
    unread: bool
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ControllerView:
    """The page before it is HTML."""

    stack: str
    at: str
    leader: str
    turned: str
    tiles: Sequence[Tile]
    troubles: Sequence[Trouble]
    pools: Sequence[PoolRow]
    status: Status


def build_view(status: Status) -> ControllerView:
    """Return what the page says of a status, as `describe_status` tells it."""
    now = datetime.fromisoformat(status["at"])
    tick, shown = status["lastTick"], status["snapshot"]
    return ControllerView(
        stack=shown["stack"] if shown else "",
        at=f"{now:%Y-%m-%d %H:%M:%S} UTC",
        leader=status["leader"],
        turned=f"{age(tick['at'], now)} ago" if tick else "never",
        tiles=_build_tiles(status, now) if shown else [],
        troubles=[*_find_troubles(status, now)],
        pools=[_build_row(pool, status) for pool in shown["pools"]] if shown else [],
        status=status,
    )


def age(text: str, now: datetime) -> str:
    """Return how long ago a time is, in its largest whole unit."""
    seconds = max(0, int((now - datetime.fromisoformat(text)).total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _build_tiles(status: Status, now: datetime) -> list[Tile]:
    shown = status["snapshot"]
    phases: Counter[str] = Counter()
    for pool in shown["pools"]:
        phases.update(pool["phases"])
    doing = [f"{phases[phase]} {phase}" for phase in PHASES if phase in phases]
    sources = status["sources"]
    sound = sum(not source["fault"] for source in sources)
    return [
        _build_cost_tile(shown),
        Tile("Nodes", str(phases.total()), doing or ["none is there"]),
        _build_waiting_tile(shown, now),
        Tile("Sources", f"{sound} of {len(sources)}", ["sound"]),
    ]


def _build_cost_tile(shown: Mapping[str, Any]) -> Tile:
    cost = shown["cost"]
    unread = sum(bool(pool["unread"]) for pool in shown["pools"])
    mark = "~" if cost["assumed"] else ""
    notes = []
    share = _ceiling_share(cost)
    if share is not None:
        notes.append(f"{share:.0%} of the ceiling of {render_amount(cost['ceiling'])}")
    if cost["planned"] != cost["perHour"]:
        notes.append(f"{mark}{render_amount(cost['planned'])} once all is done")
    if cost["unpriced"]:
        left_out = render_count(len(cost["unpriced"]), "offering")
        notes.append(f"not in it: {left_out} without a known price")
    if unread:
        notes.append(f"with {render_count(unread, 'pool')} as remembered, not as read")
    title = f"{cost['currency']} an hour"
    shown_share = None if share is None else min(share, Decimal(1))
    return Tile(title, f"{mark}{render_amount(cost['perHour'])}", notes, shown_share)


def _build_waiting_tile(shown: Mapping[str, Any], now: datetime) -> Tile:
    waiting = shown["waiting"]
    count = sum(group["items"] for group in waiting)
    unmet = sum(each["items"] for each in shown["unmet"])
    notes = [f"{unmet} of them unmet"] if unmet else []
    if waiting:
        oldest = min(group["oldestQueuedAt"] for group in waiting)
        notes.append(f"the oldest for {age(oldest, now)}")
    return Tile("Waiting", str(count), notes or ["nothing waits"])


def _ceiling_share(cost: Mapping[str, Any]) -> Decimal | None:
    if cost["ceiling"] is None or not Decimal(cost["ceiling"]):
        return None
    return Decimal(cost["perHour"]) / Decimal(cost["ceiling"])


def _find_troubles(status: Status, now: datetime) -> Iterator[Trouble]:
    tick, shown = status["lastTick"], status["snapshot"]
    if not status["leader"]:
        yield Trouble("Nobody leads: no pool is resized.", is_fault=True)
    if tick is None or shown is None:
        yield Trouble("No turn is known yet.", is_fault=True)
        return
    passed = (now - datetime.fromisoformat(tick["at"])).total_seconds()
    if passed > STALE_SECONDS:
        text = f"The last turn was {age(tick['at'], now)} ago: what stands here is old."
        yield Trouble(text, is_fault=True)
    for source in status["sources"]:
        if source["fault"]:
            heard = source["name"] in shown["listeners"]
            effect = "Interruptions may go unheard" if heard else "Nothing shrinks"
            yield Trouble(f"Source {source['name']}: {source['fault']}. {effect}.")
    yield from _doubt(shown)


def _doubt(shown: Mapping[str, Any]) -> Iterator[Trouble]:
    for pool in shown["pools"]:
        if pool["unread"]:
            yield Trouble(f"Pool {pool['id']} cannot be read: {pool['unread']}.")
    share = _ceiling_share(shown["cost"])
    if share is not None and share >= NEARLY:
        yield Trouble(f"The fleet costs {share:.0%} of its ceiling an hour.")
    for each in shown["commitments"]:
        if Decimal(each["idle"]):
            text = f"{number(each['idle'])} of {number(each['units'])} are paid for and not used"
            yield Trouble(f"Commitment {each['id']}: {text}.")


def _build_row(pool: Mapping[str, Any], status: Status) -> PoolRow:
    machine = pool["accelerator"] or "no accelerator"
    if pool["acceleratorsPerNode"]:
        machine = f"{pool['acceleratorsPerNode']} × {machine}"
    return PoolRow(
        id=pool["id"],
        place=f"{pool['cloud']} {pool['region']}",
        machine=machine,
        bought=pool["capacityType"],
        scaler=pool["scaler"],
        size=f"{'?' if pool['target'] is None else pool['target']} of {pool['min']}–{pool['max']}",
        segments=_build_segments(pool),
        cost=_pool_cost(pool),
        unread=bool(pool["unread"]),
        notes=[*_note(pool, status)],
    )


def _pool_cost(pool: Mapping[str, Any]) -> str:
    """Return what a pool costs; of one that cannot be read, only what is remembered is known."""
    if pool["unread"] and not pool["phases"]:
        return "unknown"
    known = ("~" if pool["assumed"] else "") + render_amount(pool["perHour"])
    if pool["unpricedNodes"]:
        return f"{known} + {pool['unpricedNodes']} of unknown price"
    return known


def _note(pool: Mapping[str, Any], status: Status) -> Iterator[str]:
    """Yield what keeps a pool as it is; what the person said who paused it stands first."""
    if pool["unread"]:
        yield f"not read: {pool['unread']}"
    for said in status["overrides"]:
        if said["pool"] == pool["id"]:
            what = render_override(said["pool"], said["nodes"])
            yield f"{what} by {said['owner']} until {clock(said['until'])}"
    for hold in status["snapshot"]["holds"]:
        # What an older controller wrote down says no cause.
        if hold["pool"] == pool["id"] and hold.get("cause") not in SAID:
            yield f"held: {hold['reason']}"


def _build_segments(pool: Mapping[str, Any]) -> list[Segment]:
    phases = pool["phases"]
    room = max(pool["max"], sum(phases.values()), 1)
    found: list[Segment] = []
    start = 0.0
    for phase in PHASES:
        if phase in phases:
            width = BAR * phases[phase] / room
            found.append(Segment(phase, phases[phase], round(start, 2), round(width, 2)))
            start += width
    return found


def number(text: str) -> str:
    """Return a number without zeros at its end."""
    return f"{Decimal(text).normalize():,f}"


def clock(text: str) -> str:
    """Return a time to the minute."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
