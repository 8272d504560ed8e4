"""What stored objects cost a month, by the age at which they move to cheaper classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import StorageTier, UnknownPrice
from tidegate.manifest.kept import Bucket
from tidegate.pricing.figures import NOTHING, same_everywhere
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.move_text import describe_move
from tidegate.pricing.moves import (
    BYTES_PER_GIB,
    DAYS_PER_MONTH,
    THOUSAND,
    PricedMove,
    StoredData,
    price_moves,
)
from tidegate.pricing.nodes import DEFAULT_CURRENCY

ONE = Decimal(1)
ACCESS_NOTE = (
    "all of it is counted in the first class: what nobody reads costs less, and watching who reads "
    "costs a fee"
)
BASE_NOTE = "transfer and noncurrent versions are not in it"


def lifetime_of(bucket: Bucket) -> int | None:
    """Return the age that objects reach; None where neither a rule nor anybody says."""
    stated = (bucket.expire_after_days, bucket.expected_lifetime_days)
    return min((days for days in stated if days is not None), default=None)


def mean_of_moved(mean_bytes: int | None, smallest_moved_bytes: int) -> Decimal | None:
    """Return the mean size of the objects that rules move; None where it is not known.

    Where the mean lies below the smallest that is moved, most objects stay, and of those that
    move nothing is known.
    """
    if mean_bytes is None or mean_bytes < smallest_moved_bytes:
        return None
    return Decimal(mean_bytes)


def share_by_class(bucket: Bucket, first_class: str) -> dict[str, Decimal]:
    """Return storage class → the share of the stored bytes that lies in it.

    Objects that expire are taken to be of every age alike, so a class holds the share of a
    lifetime that objects spend in it. Objects that never expire grow old: the bucket's present
    size says nothing of their ages, and all of it is counted in the first class, the dearest. So is
    what moves by access: what is read stays there.
    """
    lifetime = lifetime_of(bucket)
    if lifetime is None or bucket.tiering == "access":
        return {first_class: ONE}
    moves = sorted((tier.after_days, tier.storage_class) for tier in bucket.tiers)
    starts = [(0, first_class), *[move for move in moves if move[0] < lifetime]]
    ends = [day for day, _ in starts[1:]] + [lifetime]
    shares: dict[str, Decimal] = {}
    for (day, name), end in zip(starts, ends, strict=True):
        shares[name] = shares.get(name, NOTHING) + Decimal(end - day) / Decimal(lifetime)
    return {name: share for name, share in shares.items() if share}


def price_bucket_moves(bucket: Bucket, catalog: Catalog) -> tuple[PricedMove, ...]:
    """Return what each of a bucket's moves saves and costs, over one lifetime of its objects.

    Moves by access have no age, and what they save depends on who reads what.
    """
    if bucket.tiering == "access":
        return ()
    classes = catalog.storage_tiers(bucket.cloud)
    known = {tier.name for tier in classes}
    moves = sorted((tier.after_days, tier.storage_class) for tier in bucket.tiers)
    data = StoredData(
        gib=bucket.expected_gib,
        mean_object_bytes=mean_of_moved(bucket.mean_object_bytes, bucket.smallest_moved_bytes),
        monthly_retrieval_share=bucket.monthly_retrieval_share,
        lifetime_days=lifetime_of(bucket),
    )
    usable = [move for move in moves if move[1] in known]
    return price_moves(usable, classes, data, bucket.region)


def price_bucket(bucket: Bucket, catalog: Catalog) -> CostLine:
    """Return what a bucket's expected bytes cost, with moves and reads where they are stated.

    Prices are known for one region a cloud and stand, as an assumption, for the others.
    """
    if bucket.expected_gib is None:
        return _build_line(bucket, None, unknown=[f"bucket {bucket.id} declares no expected size"])
    if bucket.expected_gib == NOTHING:
        return _build_line(bucket, NOTHING)
    classes = {tier.name: tier for tier in catalog.storage_tiers(bucket.cloud)}
    shares = share_by_class(bucket, next(iter(classes)))
    total = NOTHING
    used: list[UsedPrice] = []
    unknown: list[str] = []
    for name, share in shares.items():
        price = (
            classes[name].per_gb_month
            if name in classes
            else UnknownPrice(f"{name} is no storage class of the catalog")
        )
        if isinstance(price, UnknownPrice):
            unknown.append(price.reason)
        else:
            total += bucket.expected_gib * share * price.amount
            used.append(_describe(classes[name], bucket.region))
    if unknown:
        return _build_line(bucket, None, used, unknown)
    reads, moves = _price_reads(bucket, shares, classes), _price_requests(bucket, shares, classes)
    left_out = [what for what, cost in (("reads", reads), ("moves", moves)) if cost is None]
    for cost, what in ((reads, "retrieval"), (moves, "lifecycle requests")):
        if cost:
            total += cost
            used.append(_describe_charges(bucket, classes, shares, what))
    notes = [f"{' and '.join(left_out)} are not in it"] if left_out else []
    if bucket.tiering == "access":
        notes.append(ACCESS_NOTE)
    notes += [describe_move(move) for move in price_bucket_moves(bucket, catalog)]
    return _build_line(bucket, total, used, notes=notes)


def _price_reads(
    bucket: Bucket, shares: dict[str, Decimal], classes: dict[str, StorageTier]
) -> Decimal | None:
    """Return what a month's reads cost; None where it is not known."""
    prices = {name: classes[name].charges.retrieval_per_gb for name in shares}
    total = NOTHING
    for name, price in prices.items():
        if isinstance(price, UnknownPrice):
            return None
        if price.amount and bucket.monthly_retrieval_share is None:
            return None
        read = (bucket.expected_gib or NOTHING) * shares[name]
        total += read * (bucket.monthly_retrieval_share or NOTHING) * price.amount
    return total


def _price_requests(
    bucket: Bucket, shares: dict[str, Decimal], classes: dict[str, StorageTier]
) -> Decimal | None:
    """Return what the moves of a month cost in the steady state; None where not known.

    Each month as many bytes come as leave: the stored bytes over the months of a lifetime.
    """
    moved = [name for name in shares if name != next(iter(classes))]
    if not moved:
        return NOTHING
    lifetime = lifetime_of(bucket)
    mean = mean_of_moved(bucket.mean_object_bytes, bucket.smallest_moved_bytes)
    if lifetime is None or mean is None or bucket.expected_gib is None:
        return None
    come_gib = bucket.expected_gib * DAYS_PER_MONTH / lifetime
    thousands = come_gib * BYTES_PER_GIB / mean / THOUSAND
    total = NOTHING
    for name in moved:
        price = classes[name].charges.move_in_per_thousand
        if isinstance(price, UnknownPrice):
            return None
        total += thousands * price.amount
    return total


def _build_line(
    bucket: Bucket,
    amount: Decimal | None,
    used: Sequence[UsedPrice] = (),
    unknown: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> CostLine:
    return CostLine(
        kind=LineKind.BUCKET,
        id=bucket.id,
        cloud=bucket.cloud,
        region=bucket.region,
        capacity_type=None,
        currency=DEFAULT_CURRENCY,
        monthly=same_everywhere(amount),
        prices=tuple(used),
        unknown=tuple(unknown),
        notes=(BASE_NOTE, *notes, *_dropped(bucket)),
    )


def _dropped(bucket: Bucket) -> Iterator[str]:
    for tier in bucket.dropped_tiers:
        yield f"no move to {tier.storage_class} at {tier.after_days} days: {tier.reason}"


def _describe(tier: StorageTier, region: str) -> UsedPrice:
    assumed = tier.assumed or tier.price_region != region
    origin = f"{tier.origin} ({tier.price_region})"
    return UsedPrice(f"{tier.name} storage", origin, tier.as_of, assumed=assumed)


def _describe_charges(
    bucket: Bucket, classes: dict[str, StorageTier], shares: dict[str, Decimal], what: str
) -> UsedPrice:
    tier = classes[next(reversed(shares))]
    charges = tier.charges
    assumed = charges.assumed or tier.price_region != bucket.region
    label = f"{bucket.cloud.value} storage {what}"
    return UsedPrice(label, charges.origin, charges.as_of, assumed=assumed)
