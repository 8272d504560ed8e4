"""What stored objects cost a month, by the age at which they move to cheaper classes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import StorageTier, UnknownPrice
from tidegate.manifest.kept import Bucket
from tidegate.pricing.figures import NOTHING, same_everywhere
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.nodes import DEFAULT_CURRENCY

ONE = Decimal(1)


def share_by_class(bucket: Bucket, first_class: str) -> dict[str, Decimal]:
    """Return storage class → the share of the stored bytes that lies in it.

    Objects that expire are taken to be of every age alike, so a class holds the share of a
    lifetime that objects spend in it. Objects that never expire grow old: the bucket's present
    size says nothing of their ages, and all of it is counted in the first class, the dearest.
    """
    lifetime = bucket.expire_after_days
    if lifetime is None:
        return {first_class: ONE}
    moves = sorted((tier.after_days, tier.storage_class) for tier in bucket.tiers)
    starts = [(0, first_class), *[move for move in moves if move[0] < lifetime]]
    ends = [day for day, _ in starts[1:]] + [lifetime]
    shares: dict[str, Decimal] = {}
    for (day, name), end in zip(starts, ends, strict=True):
        shares[name] = shares.get(name, NOTHING) + Decimal(end - day) / Decimal(lifetime)
    return {name: share for name, share in shares.items() if share}


def price_bucket(bucket: Bucket, catalog: Catalog) -> CostLine:
    """Return what a bucket's expected bytes cost; requests and retrieval are not in it.

    Prices are known for one region a cloud and stand, as an assumption, for the others.
    """
    if bucket.expected_gib is None:
        return _build_line(bucket, None, unknown=[f"bucket {bucket.id} declares no expected size"])
    classes = {tier.name: tier for tier in catalog.storage_tiers(bucket.cloud)}
    total = NOTHING
    used: list[UsedPrice] = []
    unknown: list[str] = []
    for name, share in share_by_class(bucket, next(iter(classes))).items():
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
    if bucket.expected_gib == NOTHING:
        return _build_line(bucket, NOTHING)
    return _build_line(bucket, None if unknown else total, used, unknown)


def _build_line(
    bucket: Bucket,
    amount: Decimal | None,
    used: Sequence[UsedPrice] = (),
    unknown: Sequence[str] = (),
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
        notes=("requests, retrieval, transfer and noncurrent versions are not in it",),
    )


def _describe(tier: StorageTier, region: str) -> UsedPrice:
    assumed = tier.assumed or tier.price_region != region
    origin = f"{tier.origin} ({tier.price_region})"
    return UsedPrice(f"{tier.name} storage", origin, tier.as_of, assumed=assumed)
