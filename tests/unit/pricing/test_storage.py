"""What buckets and log streams cost, and what is not known of them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import TelemetryPrice
from tidegate.manifest.kept import Bucket, TelemetryStream
from tidegate.pricing.plan import build_plan_cost
from tidegate.pricing.storage import share_by_class
from tidegate.pricing.telemetry import (
    estimate_telemetry,
    monthly_telemetry_cost,
    price_telemetry,
)

CATALOG = load_catalog()
Factory = Callable[..., Any]

BUCKET = {
    "id": "checkpoints",
    "cloud": "aws",
    "region": "us-east-1",
    "storage_class": "checkpoint",
    "tiers": [{"after_days": 30, "storage_class": "STANDARD_IA"}],
    "expire_after_days": 120,
    "expected_gib": "1000",
    "labels": {},
}
STREAM = {
    "id": "runs",
    "cloud": "gcp",
    "region": "us-central1",
    "telemetry_class": "run-logs",
    "retention_days": 90,
    "expected_gib_per_month": "100",
    "labels": {},
}


def line(manifest: Any) -> Any:
    (only,) = build_plan_cost(manifest, CATALOG).lines
    return only


def test_bytes_that_expire_lie_in_each_class_for_their_share_of_a_lifetime(
    manifest: Factory,
) -> None:
    priced = line(manifest(buckets=[BUCKET]))
    expected = 1000 * (Decimal("0.25") * Decimal("0.023") + Decimal("0.75") * Decimal("0.0125"))
    assert {amount for _, amount in priced.monthly.items()} == {expected}
    assert priced.assumed_bases == ()


def test_bytes_that_never_expire_are_all_counted_in_the_first_class(manifest: Factory) -> None:
    priced = line(manifest(buckets=[BUCKET | {"expire_after_days": None}]))
    assert priced.monthly.declared == Decimal(23)


def test_a_price_from_another_region_is_assumed(manifest: Factory) -> None:
    priced = line(manifest(buckets=[BUCKET | {"region": "eu-west-1"}]))
    assert priced.assumed_bases == ("minimum", "declared", "maximum", "on_demand")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"expected_gib": None}, "bucket checkpoints declares no expected size"),
        (
            {"tiers": [{"after_days": 0, "storage_class": "INTELLIGENT_TIERING"}]},
            "no price of INTELLIGENT_TIERING is known",
        ),
        (
            {"tiers": [{"after_days": 30, "storage_class": "COOLISH"}]},
            "COOLISH is no storage class of the catalog",
        ),
    ],
)
def test_a_bucket_of_unknown_size_or_class_is_unknown_not_free(
    manifest: Factory, changes: dict[str, Any], reason: str
) -> None:
    priced = line(manifest(buckets=[BUCKET | changes]))
    assert (priced.monthly.declared, priced.unknown) == (None, (reason,))


EXPECTED = BUCKET | {"mean_object_bytes": 1024**2, "monthly_retrieval_share": "0.5"}


def test_moves_and_reads_enter_the_cost_where_they_are_stated(manifest: Factory) -> None:
    bare, stated = (
        line(manifest(buckets=[bucket])).monthly.declared for bucket in (BUCKET, EXPECTED)
    )
    # 750 GiB lie in STANDARD_IA; a 120-day lifetime brings 1000 GiB anew each 120 days.
    reads = Decimal(750) * Decimal("0.5") * Decimal("0.01")
    requests = Decimal(1000) * (Decimal(730) / 24) / 120 * 1024 / 1000 * Decimal("0.01")
    assert stated == pytest.approx(bare + reads + requests)


def test_the_line_says_what_each_move_saves_and_what_is_left_out(manifest: Factory) -> None:
    first, saves = line(manifest(buckets=[EXPECTED])).notes
    assert first == "transfer and noncurrent versions are not in it"
    assert saves == (
        "STANDARD to STANDARD_IA at 30 days saves: 6.03 USD for 1000 GiB over 90 days (31.07 of "
        "storage saved, 10.24 of requests, 14.79 of dearer reads, 0.00 of minimum days, at "
        "assumed prices)"
    )
    bare = line(manifest(buckets=[BUCKET])).notes
    assert bare[1] == "reads and moves are not in it"
    assert bare[2].startswith("STANDARD to STANDARD_IA at 30 days: whether it saves is unknown")


def test_what_moves_by_access_is_counted_where_it_is_read(manifest: Factory) -> None:
    priced = line(manifest(buckets=[EXPECTED | {"tiering": "access"}]))
    assert priced.monthly.declared == Decimal(23)
    assert priced.notes[1].startswith("all of it is counted in the first class")
    assert len(priced.notes) == 2


def test_a_default_that_was_left_out_is_said_with_its_reason(manifest: Factory) -> None:
    dropped = {"after_days": 30, "storage_class": "STANDARD_IA", "reason": "costs more"}
    bucket = BUCKET | {"tiers": [], "dropped_tiers": [dropped]}
    assert line(manifest(buckets=[bucket])).notes[-1] == (
        "no move to STANDARD_IA at 30 days: costs more"
    )


def test_objects_that_live_shorter_than_the_expiry_are_priced_by_their_lifetime(
    manifest: Factory,
) -> None:
    short = line(manifest(buckets=[BUCKET | {"expected_lifetime_days": 40}]))
    expected = 1000 * (Decimal("0.75") * Decimal("0.023") + Decimal("0.25") * Decimal("0.0125"))
    assert short.monthly.declared == expected


@given(
    moves=st.lists(
        st.tuples(
            st.integers(0, 400), st.sampled_from(["STANDARD_IA", "GLACIER_IR", "DEEP_ARCHIVE"])
        ),
        max_size=4,
    ),
    lifetime=st.none() | st.integers(1, 500),
)
def test_shares_of_the_classes_are_positive_and_add_up_to_one(
    moves: list[tuple[int, str]], lifetime: int | None
) -> None:
    tiers = [{"after_days": days, "storage_class": name} for days, name in moves]
    bucket = Bucket.model_validate(BUCKET | {"tiers": tiers, "expire_after_days": lifetime})
    shares = share_by_class(bucket, "STANDARD")
    assert round(sum(shares.values()), 20) == 1
    assert all(share > 0 for share in shares.values())


def test_logs_pay_for_intake_and_for_keeping_beyond_the_included_days(manifest: Factory) -> None:
    priced = line(manifest(telemetry=[STREAM]))
    kept_gib = Decimal(100) * 60 / (Decimal(730) / 24)
    assert priced.monthly.declared == Decimal(50) + kept_gib * Decimal("0.01")


def test_a_daily_quota_cuts_off_what_lies_above_it(manifest: Factory) -> None:
    capped = STREAM | {"retention_days": 30, "daily_quota_gib": "1"}
    assert line(manifest(telemetry=[capped])).monthly.declared == Decimal(730) / 24 / 2
    below = capped | {"daily_quota_gib": "5"}
    assert line(manifest(telemetry=[below])).monthly.declared == Decimal(50)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"expected_gib_per_month": None}, "stream runs declares no expected volume"),
        (
            {"cloud": "aws", "region": "eu-west-1"},
            "no price of STANDARD logs is known for eu-west-1",
        ),
        (
            {"cloud": "aws", "region": "us-east-1", "log_class": "INFREQUENT_ACCESS"},
            "no price of INFREQUENT_ACCESS logs is known for us-east-1",
        ),
    ],
)
def test_a_stream_of_unknown_volume_or_price_is_unknown_not_free(
    manifest: Factory, changes: dict[str, Any], reason: str
) -> None:
    priced = line(manifest(telemetry=[STREAM | changes]))
    assert (priced.monthly.declared, priced.unknown) == (None, (reason,))


def test_log_prices_that_no_cloud_states_itself_are_assumed(manifest: Factory) -> None:
    priced = line(manifest(telemetry=[STREAM | {"cloud": "aws", "region": "us-east-1"}]))
    assert priced.assumed_bases == ("minimum", "declared", "maximum", "on_demand")


@given(
    volume=st.decimals(0, 10000, places=3, allow_nan=False),
    days=st.integers(1, 3653),
    more=st.integers(0, 1000),
)
def test_keeping_longer_never_costs_less(volume: Decimal, days: int, more: int) -> None:
    price = CATALOG.telemetry_price("gcp", "us-central1")
    assert isinstance(price, TelemetryPrice)
    shorter = monthly_telemetry_cost(volume, days, price)
    assert shorter <= monthly_telemetry_cost(volume, days + more, price)
    assert shorter >= volume * Decimal("0.5")


def test_an_alarm_cuts_nothing_off(manifest: Factory) -> None:
    alarmed = STREAM | {"retention_days": 30, "daily_quota_gib": "1", "quota_action": "alarm"}
    priced = line(manifest(telemetry=[alarmed]))
    assert priced.monthly.declared == Decimal(50)
    assert "the cloud has no cap: the daily quota only raises an alarm" in priced.notes


@given(
    shares=st.lists(st.none() | st.decimals(0, 1, places=3), max_size=3),
    percent=st.none() | st.decimals("0.001", 100, places=3),
    volume=st.decimals(0, 10_000, places=2),
    quota=st.none() | st.decimals("0.1", 100, places=1),
    days=st.integers(1, 400),
)
def test_the_estimate_and_the_plan_say_the_same_and_thinning_never_adds(
    shares: list[Decimal | None],
    percent: Decimal | None,
    volume: Decimal,
    quota: Decimal | None,
    days: int,
) -> None:
    exclusions = [
        {"name": f"e{index}", "expected_share": share} for index, share in enumerate(shares)
    ]
    stream = TelemetryStream.model_validate(
        STREAM
        | {
            "retention_days": days,
            "expected_gib_per_month": volume,
            "exclusions": exclusions,
            "sampling_percent": percent,
            "daily_quota_gib": quota,
        }
    )
    estimate = estimate_telemetry(stream, CATALOG)
    priced = price_telemetry(stream, CATALOG).monthly.declared
    assert estimate.ingestion is not None
    assert estimate.retention is not None
    assert priced == estimate.ingestion + estimate.retention
    assert 0 <= estimate.gib_per_month <= volume  # type: ignore[operator]
