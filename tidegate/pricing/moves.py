"""Whether a move to a colder storage class saves more than it costs, and by how much.

A move is held against staying in the class before, from the age of the move until the next move or
the end of the data. It saves the difference in storage, and costs one request an object, dearer
reads, bytes that are billed beside an object's own, and days that a class bills although nothing
lies in it any more. What is not known is neither 0 nor a refusal: it is bounded by its best case,
and a move that loses even then is known to lose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from itertools import pairwise

from tidegate.catalog.model import StorageTier, UnknownPrice
from tidegate.pricing.bounds import ZERO, Bound, join_reasons
from tidegate.vocabulary.money import HOURS_PER_MONTH, Money

DAYS_PER_MONTH = HOURS_PER_MONTH / 24
BYTES_PER_GIB = Decimal(1024**3)
THOUSAND = Decimal(1000)


class Verdict(StrEnum):
    """What is known of a move; UNKNOWN is neither a saving nor a refusal."""

    SAVES = "saves"
    COSTS = "costs"
    NEVER = "never"
    """The data is gone before it would be moved."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class StoredData:
    """What is expected of stored objects; None where nobody said.

    Attributes:
        gib: Their size in all; figures are for one GiB without it.
        mean_object_bytes: The size of one object that a rule moves.
        monthly_retrieval_share: How much of them is read in a month; 2 is each byte twice.
        lifetime_days: How old they become.
    """

    gib: Decimal | None = None
    mean_object_bytes: Decimal | None = None
    monthly_retrieval_share: Decimal | None = None
    lifetime_days: int | None = None


@dataclass(frozen=True, slots=True)
class PricedMove:
    """One move with what it saves and costs over the stay in the class that it leads to.

    Attributes:
        after_days: The age at which objects move.
        source: The class before.
        target: The class after.
        gib: The size that the figures are for.
        days: How long objects stay; None where they stay for ever, or never come.
        storage: Storage price saved.
        requests: Cost of moving.
        retrieval: What reading costs more than before.
        minimum_stay: Days that are billed although nothing lies there any more.
        verdict: Whether it saves.
        pays_back_days: After how many days in the class the move has paid for itself; None where
            that is not known or never.
        currency: Of all figures.
        assumed: True when a price is not from the cloud's own list for the region.
        unknown: Why figures are missing, each reason once.
    """

    after_days: int
    source: str
    target: str
    gib: Decimal
    days: int | None
    storage: Decimal | None
    requests: Decimal | None
    retrieval: Decimal | None
    minimum_stay: Decimal | None
    verdict: Verdict
    pays_back_days: int | None
    currency: str
    assumed: bool
    unknown: tuple[str, ...] = ()

    @property
    def saving(self) -> Decimal | None:
        """What the move saves in all; negative when it costs, None when not known."""
        costs = (self.requests, self.retrieval, self.minimum_stay)
        known = [cost for cost in costs if cost is not None]
        if self.storage is None or len(known) < len(costs):
            return None
        return self.storage - sum(known, ZERO)


def price_moves(
    moves: Iterable[tuple[int, str]],
    classes: Sequence[StorageTier],
    data: StoredData,
    region: str = "",
) -> tuple[PricedMove, ...]:
    """Return each move with its figures and verdict.

    Args:
        moves: (age in days, class) in ascending age; objects start in the first of `classes`.
        classes: The cloud's storage classes, hottest first; every class of `moves` is one.
        data: What is expected of the objects.
        region: Where they lie; prices of another region are assumed to hold there.
    """
    by_name = {tier.name: tier for tier in classes}
    first = classes[0]
    steps = [(0, first), *((age, by_name[name]) for age, name in moves)]
    ends = [age for age, _ in steps[2:]] + [None]
    return tuple(
        _price_move(before, after, end, first, data, region)
        for (before, after), end in zip(pairwise(steps), ends, strict=False)
    )


def _price_move(
    before: tuple[int, StorageTier],
    after: tuple[int, StorageTier],
    following: int | None,
    first: StorageTier,
    data: StoredData,
    region: str,
) -> PricedMove:
    since, source = before
    age, target = after
    limits = [limit for limit in (following, data.lifetime_days) if limit is not None]
    end = min(limits, default=None)
    never = data.lifetime_days is not None and data.lifetime_days <= age
    days = None if never or end is None else max(0, end - age)
    staying = Stay(source, target, age - since, days, first, data)
    verdict = Verdict.NEVER if never else staying.judge()
    size = Decimal(1) if data.gib is None else data.gib
    storage, requests, retrieval, minimum = (
        None if days is None or bound.exact is None else bound.exact * size
        for bound in staying.parts()
    )
    return PricedMove(
        after_days=age,
        source=source.name,
        target=target.name,
        gib=size,
        days=days,
        storage=storage,
        requests=requests,
        retrieval=retrieval,
        minimum_stay=minimum,
        verdict=verdict,
        pays_back_days=None if never else staying.pays_back_days(),
        currency=_currency(source, target),
        assumed=any(
            tier.assumed or tier.charges.assumed or tier.price_region != region
            for tier in (source, target)
        ),
        unknown=staying.reasons() if verdict is not Verdict.NEVER else (),
    )


@dataclass(frozen=True, slots=True)
class Stay:
    """A stay in `target` after `held` days in `source`; figures are for one GiB of objects.

    `days` is None for a stay whose end is not known: then storage and retrieval are a month's.
    """

    source: StorageTier
    target: StorageTier
    held: int
    days: int | None
    first: StorageTier
    data: StoredData

    def judge(self) -> Verdict:
        """Return whether the move saves; what is not known counts at its best."""
        storage, requests, retrieval, minimum = self.parts()
        if self.days is None:
            # Requests are paid once, the rest each month: a monthly loss loses at any age.
            gain = storage.minus(retrieval)
            return Verdict.COSTS if _loses(gain) else Verdict.UNKNOWN
        saving = storage.minus(requests).minus(retrieval).minus(minimum)
        if _loses(saving):
            return Verdict.COSTS
        return Verdict.UNKNOWN if saving.exact is None else Verdict.SAVES

    def pays_back_days(self) -> int | None:
        """Return the days after which what was paid for moving is saved."""
        endless = replace(self, days=None)
        storage, requests, retrieval, early = endless.parts()
        gain, paid = storage.minus(retrieval).exact, requests.plus(early).exact
        if gain is None or paid is None or gain <= ZERO:
            return None
        days = paid / gain * DAYS_PER_MONTH
        return int(days.to_integral_value(ROUND_CEILING))

    def parts(self) -> tuple[Bound, Bound, Bound, Bound]:
        """Return storage saved, and requests, retrieval and minimum stay to be paid."""
        months = Decimal(1) if self.days is None else self.days / DAYS_PER_MONTH
        before, after = self._rate(self.source), self._rate(self.target)
        storage = before.as_gain().times(self._months_saved(months)).minus(after.times(months))
        early = before.times(_months(self.source.minimum_days - self.held))
        short = ZERO if self.days is None else _months(self.target.minimum_days - self.days)
        return (
            storage,
            self._requests(),
            self._dearer_reads().times(months),
            early.plus(after.times(short)),
        )

    def reasons(self) -> tuple[str, ...]:
        """Return what is not known, each once."""
        parts = join_reasons(*self.parts())
        ending = () if self.days is not None else ("how old the objects become is not stated",)
        return (*parts, *ending)

    def _months_saved(self, months: Decimal) -> Decimal:
        """Return what staying would be billed for; a minimum that is not over is paid anyway."""
        if self.days is None:
            return months
        return max(self.held + self.days, self.source.minimum_days) / DAYS_PER_MONTH - (
            self.held / DAYS_PER_MONTH
        )

    def _rate(self, tier: StorageTier) -> Bound:
        """Return what storing one GiB of objects costs a month; at least its own bytes' price."""
        price, charges = tier.per_gb_month, tier.charges
        if isinstance(price, UnknownPrice):
            return Bound(None, ZERO, (price.reason,))
        if not (charges.minimum_object_bytes or charges.overhead_bytes):
            return Bound.known(price.amount)
        mean = self.data.mean_object_bytes
        if mean is None:
            reason = "the mean size of an object is not stated"
            return Bound(None, price.amount, (reason,))
        billed = max(mean, Decimal(charges.minimum_object_bytes)) + charges.overhead_bytes
        rate = Bound.known(price.amount * billed / mean)
        if not charges.first_class_overhead_bytes:
            return rate
        hottest = self.first.per_gb_month
        if isinstance(hottest, UnknownPrice):
            return rate.plus(Bound(None, ZERO, (hottest.reason,)))
        return rate.plus(Bound.known(hottest.amount * charges.first_class_overhead_bytes / mean))

    def _requests(self) -> Bound:
        price, mean = self.target.charges.move_in_per_thousand, self.data.mean_object_bytes
        if isinstance(price, UnknownPrice):
            return Bound(None, ZERO, (price.reason,))
        if price.amount == ZERO:
            return Bound.known(ZERO)
        if mean is None:
            return Bound(None, ZERO, ("the mean size of an object is not stated",))
        return Bound.known(price.amount * BYTES_PER_GIB / mean / THOUSAND)

    def _dearer_reads(self) -> Bound:
        """Return what a month's reads cost more than before."""
        before, after = (tier.charges.retrieval_per_gb for tier in (self.source, self.target))
        share = self.data.monthly_retrieval_share
        if share == ZERO:
            return Bound.known(ZERO)
        if isinstance(before, UnknownPrice):
            return Bound(None, None, (before.reason,))
        if isinstance(after, UnknownPrice):
            best = None if share is None and before.amount else -before.amount * (share or ZERO)
            return Bound(None, best, (after.reason,))
        dearer = after.amount - before.amount
        if share is None and dearer:
            reason = "how much is read in a month is not stated"
            return Bound(None, ZERO if dearer > ZERO else None, (reason,))
        return Bound.known(dearer * (share or ZERO))


def _months(days: int) -> Decimal:
    return max(0, days) / DAYS_PER_MONTH


def _loses(saving: Bound) -> bool:
    return saving.best is not None and saving.best <= ZERO


def _currency(*tiers: StorageTier) -> str:
    prices = [
        price
        for tier in tiers
        for price in (tier.per_gb_month, tier.charges.move_in_per_thousand)
        if isinstance(price, Money)
    ]
    return prices[0].currency if prices else "USD"
