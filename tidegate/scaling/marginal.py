"""What one more useful hour of an offering costs a shape: risk, rework and transfers included."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from tidegate.pricing.marginal import SpotRisk
from tidegate.scaling.constraints import count_slots, find_exclusion, match_need
from tidegate.scaling.offerings import Offering, TransferLane
from tidegate.scaling.situation import Situation, is_spot
from tidegate.vocabulary.demand import WorkShape

ZERO = Decimal(0)
HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class Choice:
    """One offering that may serve a shape.

    Attributes:
        offering: The offering.
        accelerators: What a worker takes of a node.
        slots: Workers that an empty node takes.
        rework: What interruptions add to the price of a node an hour.
        transfer: What moving data adds an hour to a worker.
        price: Price of a node an hour with rework; None where unknown.
        extra: What one worker adds beside nodes: its transfer and its share of the rework.
        late: True when a new node starts the work later than its wait target.
    """

    offering: Offering
    accelerators: int
    slots: int
    rework: Decimal
    transfer: Decimal
    price: Decimal | None
    extra: Decimal
    late: bool = False

    def nodes_for(self, workers: int) -> int:
        """Return the empty nodes that so many workers take."""
        return -(-workers // self.slots)


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """Choices among which one item may be seated, best first, with what is asked of all of them.

    Attributes:
        choices: Best first.
        committed: Those that a commitment may pay for.
        needs: (accelerator, count a worker) over all choices, each once.
        moves_data: True when data would have to move to one of them.
    """

    choices: tuple[Choice, ...]
    committed: tuple[Choice, ...]
    needs: tuple[tuple[str, int], ...]
    moves_data: bool


def build_domain(choices: Iterable[Choice]) -> Domain:
    """Return choices as a domain, in the order given."""
    ordered = tuple(choices)
    needs = dict.fromkeys((c.offering.room.accelerator, c.accelerators) for c in ordered)
    return Domain(
        choices=ordered,
        committed=tuple(choice for choice in ordered if choice.offering.commitment),
        needs=tuple(needs),
        moves_data=any(choice.transfer for choice in ordered),
    )


def list_choices(
    shape: WorkShape, situation: Situation, *, urgent: bool = False
) -> tuple[Choice, ...]:
    """Return what may serve a shape, best for one item first.

    What starts later than a wait target stands last, and before that what has no known price.
    """
    takes: dict[int, Take | None] = {}
    shares: dict[tuple[bool, Decimal | None], Decimal] = {}
    found = []
    for offering in _candidates(shape, situation):
        kind = situation.kinds[offering.id]
        if kind not in takes:
            cause = find_exclusion(shape, offering, situation, urgent=urgent)
            takes[kind] = find_take(shape, offering, situation) if cause is None else None
        risk = (is_spot(offering), offering.interruptions_per_hour)
        if risk not in shares:
            shares[risk] = _useful_share(shape, offering, situation)
        take, share = takes[kind], shares[risk]
        if take is not None and share != ZERO:
            found.append(_price_choice(shape, offering, take, share))
    return tuple(sorted(found, key=lambda choice: rank_choice(choice, shape.workers)))


def _candidates(shape: WorkShape, situation: Situation) -> Iterable[Offering]:
    """Return the offerings with an accelerator that would do: the first, and cheapest, filter."""
    if not shape.accelerators:
        if situation.settings.cpu_on_accelerators:
            return situation.offerings.values()
        return situation.by_accelerator.get("", ())
    chips = dict.fromkeys(need.accelerator for need in shape.accelerators)
    return [entry for chip in chips for entry in situation.by_accelerator.get(chip, ())]


def rank_choice(choice: Choice, workers: int) -> tuple[bool, bool, Decimal, Decimal, int, str]:
    """Return the order of choices for so many workers: in time, cost, price a slot, start, id."""
    price = choice.price if choice.price is not None else ZERO
    cost = price * choice.nodes_for(workers) + choice.transfer * workers
    offering = choice.offering
    return (
        choice.late,
        choice.price is None,
        cost,
        price / choice.slots,
        offering.boot_seconds,
        offering.id,
    )


@dataclass(frozen=True, slots=True)
class Take:
    """What one worker takes of any offering of one kind: accelerators, a slot, its transfer.

    `moving_seconds` is only found out where a wait target is stated.
    """

    accelerators: int
    slots: int
    transfer: Decimal
    moving_seconds: int


def find_take(shape: WorkShape, offering: Offering, situation: Situation) -> Take:
    """Return what a worker takes of all offerings that are of one kind with this one."""
    need = match_need(shape, offering.room)
    return Take(
        accelerators=need.per_worker if need else 0,
        slots=count_slots(shape, need, offering.room),
        transfer=transfer_per_hour(shape, offering, situation) / shape.workers,
        moving_seconds=0
        if shape.wait_target_seconds is None
        else moving_seconds(shape, offering, situation),
    )


def build_choice(shape: WorkShape, offering: Offering, situation: Situation) -> Choice | None:
    """Return what an offering costs a shape; None when interruptions would undo all work."""
    share = _useful_share(shape, offering, situation)
    if share == ZERO:
        return None
    return _price_choice(shape, offering, find_take(shape, offering, situation), share)


def _price_choice(shape: WorkShape, offering: Offering, take: Take, share: Decimal) -> Choice:
    price = offering.per_hour
    adjusted = None if price is None else price / share
    rework = ZERO if price is None or adjusted is None else adjusted - price
    return Choice(
        offering=offering,
        accelerators=take.accelerators,
        slots=take.slots,
        rework=rework,
        transfer=take.transfer,
        price=adjusted,
        extra=take.transfer + rework / take.slots,
        late=is_late(shape, offering.boot_seconds + take.moving_seconds),
    )


def is_late(shape: WorkShape, start_seconds: int) -> bool:
    """Return whether a start so long after the arrival breaks a wait target."""
    target = shape.wait_target_seconds
    return target is not None and start_seconds > target


def _useful_share(shape: WorkShape, offering: Offering, situation: Situation) -> Decimal:
    rate = offering.interruptions_per_hour
    if not is_spot(offering) or rate is None:
        return Decimal(1)
    habit = shape.checkpoint
    if habit is None:
        # Without checkpoints an interruption repeats the work from its start.
        lost = _duration(shape, situation)
        return SpotRisk(rate, lost, 0).useful_share()
    return SpotRisk(
        rate, habit.interval_seconds, habit.restart_seconds, habit.write_seconds
    ).useful_share()


def _duration(shape: WorkShape, situation: Situation) -> int:
    if shape.duration_seconds:
        return shape.duration_seconds
    return situation.settings.default_duration_seconds


def transfer_per_hour(shape: WorkShape, offering: Offering, situation: Situation) -> Decimal:
    """Return what moving an item's data costs, spread over its run time."""
    moved = [lane.per_gb * size for lane, size in moves_of(shape, offering, situation)]
    return sum(moved, ZERO) * HOUR / _duration(shape, situation)


def moving_seconds(shape: WorkShape, offering: Offering, situation: Situation) -> int:
    """Return how long an item's data takes to move, one lane after the other."""
    seconds = [
        Decimal(size) / lane.gb_per_second
        for lane, size in moves_of(shape, offering, situation)
        if lane.gb_per_second > 0
    ]
    return int(sum(seconds, ZERO))


def moves_of(
    shape: WorkShape, offering: Offering, situation: Situation
) -> list[tuple[TransferLane, int]]:
    """Return the lanes that an item's data takes, with GB; those without a known price left out."""
    pool = situation.pools[offering.pool]
    here, lanes = f"{pool.cloud}/{pool.region}", situation.market.lanes
    found = []
    for entry in shape.data:
        there = f"{entry.cloud}/{entry.region}"
        for key, size in (((there, here), entry.read_gb), ((here, there), entry.write_gb)):
            if size and here != there and key in lanes:
                found.append((lanes[key], size))
    return found
