"""What moves to colder classes save and cost, and what is known without every figure."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.pricing.moves import (
    BYTES_PER_GIB,
    DAYS_PER_MONTH,
    PricedMove,
    StoredData,
    Verdict,
    price_moves,
)

CATALOG = load_catalog()
MIB = Decimal(1024**2)
REGIONS = {"aws": "us-east-1", "gcp": "us-east1", "azure": "eastus"}


def price(cloud: str, moves: list[tuple[int, str]], **data: Any) -> tuple[PricedMove, ...]:
    return price_moves(moves, CATALOG.storage_tiers(cloud), StoredData(**data), REGIONS[cloud])


def one(cloud: str, age: int, target: str, **data: Any) -> PricedMove:
    (move,) = price(cloud, [(age, target)], **data)
    return move


LARGE = {
    "gib": Decimal(1000),
    "mean_object_bytes": 64 * MIB,
    "monthly_retrieval_share": Decimal("0.1"),
}


def test_a_move_saves_the_storage_difference_less_requests_and_reads() -> None:
    move = one("aws", 30, "STANDARD_IA", lifetime_days=90, **LARGE)
    months = 60 / DAYS_PER_MONTH
    requests = Decimal(1000) * BYTES_PER_GIB / (64 * MIB) / 1000 * Decimal("0.01")
    assert (move.storage, move.requests, move.retrieval, move.minimum_stay) == (
        pytest.approx(1000 * (Decimal("0.023") - Decimal("0.0125")) * months),
        requests,
        pytest.approx(1000 * Decimal("0.1") * Decimal("0.01") * months),
        0,
    )
    assert (move.verdict, move.days, move.unknown) == (Verdict.SAVES, 60, ())
    assert move.saving == move.storage - move.requests - move.retrieval  # type: ignore[operator]


def test_small_objects_are_billed_as_128_kib_in_s3_infrequent_access() -> None:
    small = {"lifetime_days": 400, "monthly_retrieval_share": Decimal(0)}
    tiny = one("aws", 30, "STANDARD_IA", mean_object_bytes=Decimal(16 * 1024), **small)
    whole = one("aws", 30, "STANDARD_IA", mean_object_bytes=Decimal(128 * 1024), **small)
    months = 370 / DAYS_PER_MONTH
    # 16 KiB are billed as 128: eight times the colder class's price.
    assert tiny.storage == pytest.approx((Decimal("0.023") - 8 * Decimal("0.0125")) * months)
    assert whole.storage == pytest.approx((Decimal("0.023") - Decimal("0.0125")) * months)
    assert (tiny.verdict, whole.verdict) == (Verdict.COSTS, Verdict.SAVES)


def test_glacier_bills_forty_kib_beside_each_object() -> None:
    mean = Decimal(40 * 1024)
    move = one(
        "aws",
        0,
        "GLACIER",
        mean_object_bytes=mean,
        monthly_retrieval_share=Decimal(0),
        lifetime_days=100,
    )
    months = 100 / DAYS_PER_MONTH
    colder = Decimal("0.0036") * (mean + 32768) / mean + Decimal("0.023") * 8192 / mean
    assert move.storage == pytest.approx((Decimal("0.023") - colder) * months)


@pytest.mark.parametrize(("cloud", "target"), [("gcp", "NEARLINE"), ("azure", "Cool")])
def test_elsewhere_small_objects_cost_requests_and_no_minimum_size(cloud: str, target: str) -> None:
    data = {"monthly_retrieval_share": Decimal(0), "lifetime_days": 400}
    tiny = one(cloud, 30, target, mean_object_bytes=Decimal(1024), **data)
    large = one(cloud, 30, target, mean_object_bytes=64 * MIB, **data)
    assert tiny.storage == large.storage
    assert tiny.requests == BYTES_PER_GIB / 1024 / 1000 * Decimal("0.01")
    assert (tiny.verdict, large.verdict) == (Verdict.COSTS, Verdict.SAVES)


def test_a_class_bills_its_minimum_days_when_objects_expire_earlier() -> None:
    move = one("gcp", 30, "ARCHIVE", lifetime_days=60, **LARGE)
    assert move.minimum_stay == pytest.approx(1000 * Decimal("0.0012") * 335 / DAYS_PER_MONTH)


def test_leaving_a_class_before_its_minimum_is_paid_by_the_move_that_leaves_it() -> None:
    _, second = price("gcp", [(10, "NEARLINE"), (20, "COLDLINE")], lifetime_days=400, **LARGE)
    assert second.minimum_stay == pytest.approx(1000 * Decimal("0.010") * 20 / DAYS_PER_MONTH)


def test_what_is_read_often_costs_more_than_it_saves() -> None:
    often = LARGE | {"monthly_retrieval_share": Decimal(2)}
    assert one("aws", 30, "STANDARD_IA", lifetime_days=400, **often).verdict is Verdict.COSTS


def test_data_that_is_gone_by_then_never_moves() -> None:
    move = one("aws", 30, "STANDARD_IA", lifetime_days=30, **LARGE)
    assert (move.verdict, move.saving, move.unknown) == (Verdict.NEVER, None, ())


def test_without_an_end_the_saving_is_unknown_and_the_pay_back_is_not() -> None:
    move = one("aws", 30, "STANDARD_IA", **LARGE)
    assert (move.verdict, move.saving, move.pays_back_days) == (Verdict.UNKNOWN, None, 1)
    assert move.unknown == ("how old the objects become is not stated",)


def test_a_monthly_loss_is_a_loss_at_any_age() -> None:
    often = LARGE | {"monthly_retrieval_share": Decimal(2)}
    move = one("aws", 30, "STANDARD_IA", **often)
    assert (move.verdict, move.pays_back_days) == (Verdict.COSTS, None)


def test_without_expectations_a_move_is_neither_claimed_nor_refused() -> None:
    move = one("aws", 30, "GLACIER_IR", lifetime_days=400)
    assert (move.verdict, move.saving) == (Verdict.UNKNOWN, None)
    assert move.unknown == (
        "the mean size of an object is not stated",
        "how much is read in a month is not stated",
    )


def test_a_loss_at_its_best_is_a_loss_whatever_is_unknown() -> None:
    assert one("gcp", 30, "ARCHIVE", lifetime_days=31).verdict is Verdict.COSTS


def test_an_unknown_price_is_neither_a_saving_nor_a_refusal() -> None:
    move = one("aws", 0, "INTELLIGENT_TIERING", lifetime_days=400, **LARGE)
    assert (move.verdict, move.storage) == (Verdict.UNKNOWN, None)
    assert move.unknown == ("no price of INTELLIGENT_TIERING is known",)


def test_prices_of_another_region_are_assumed_to_hold() -> None:
    classes, data = CATALOG.storage_tiers("gcp"), StoredData(lifetime_days=400)
    (there,) = price_moves([(30, "NEARLINE")], classes, data, "europe-west4")
    assert there.assumed


COLD = {
    "aws": ["STANDARD_IA", "ONEZONE_IA", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"],
    "gcp": ["NEARLINE", "COLDLINE", "ARCHIVE"],
    "azure": ["Cool", "Cold", "Archive"],
}
TARGETS = [(cloud, name) for cloud, names in COLD.items() for name in names]
shares = st.decimals(0, 5, places=3)
sizes = st.integers(1, 2**40).map(Decimal)
ages = st.integers(0, 500)
lives = st.integers(1, 3000)


@given(st.sampled_from(TARGETS), ages, lives, sizes, shares)
def test_a_known_verdict_is_the_sign_of_the_saving(
    target: tuple[str, str], age: int, life: int, mean: Decimal, share: Decimal
) -> None:
    move = one(
        target[0],
        age,
        target[1],
        lifetime_days=life,
        mean_object_bytes=mean,
        monthly_retrieval_share=share,
    )
    if life <= age:
        assert move.verdict is Verdict.NEVER
    else:
        assert move.saving is not None
        assert move.verdict is (Verdict.SAVES if move.saving > 0 else Verdict.COSTS)


@given(st.sampled_from(TARGETS), ages, lives, sizes, shares, st.data())
def test_what_is_known_in_part_agrees_with_what_is_known_whole(
    target: tuple[str, str], age: int, life: int, mean: Decimal, share: Decimal, draw: st.DataObject
) -> None:
    whole = {
        "lifetime_days": life,
        "mean_object_bytes": mean,
        "monthly_retrieval_share": share,
    }
    hidden = draw.draw(st.sets(st.sampled_from(sorted(whole))))
    part = one(
        target[0], age, target[1], **{key: v for key, v in whole.items() if key not in hidden}
    )
    full = one(target[0], age, target[1], **whole)
    assert part.verdict in (full.verdict, Verdict.UNKNOWN) or full.verdict is Verdict.NEVER


@given(st.sampled_from(TARGETS), ages, lives, sizes, sizes, shares, shares)
def test_larger_objects_and_fewer_reads_never_save_less(
    target: tuple[str, str],
    age: int,
    stay: int,
    mean: Decimal,
    growth: Decimal,
    share: Decimal,
    less: Decimal,
) -> None:
    def saving(size: Decimal, read: Decimal) -> Decimal:
        found = one(
            target[0],
            age,
            target[1],
            lifetime_days=age + stay,
            mean_object_bytes=size,
            monthly_retrieval_share=read,
        ).saving
        assert found is not None
        return found

    slack = Decimal("1e-12")  # the last of 28 digits
    base = saving(mean, share)
    scale = max(abs(base), Decimal(1))
    assert saving(mean + growth, share) >= base - slack * scale
    assert saving(mean, max(Decimal(0), share - less)) >= base - slack * scale


@given(st.integers(1, 10**6).map(Decimal), lives)
def test_figures_grow_with_the_size_and_the_verdict_does_not(gib: Decimal, life: int) -> None:
    data = {"mean_object_bytes": MIB, "monthly_retrieval_share": Decimal("0.2")}
    single = one("gcp", 30, "COLDLINE", lifetime_days=30 + life, **data)
    many = one("gcp", 30, "COLDLINE", lifetime_days=30 + life, gib=gib, **data)
    assert many.verdict is single.verdict
    assert many.saving == pytest.approx(single.saving * gib)  # type: ignore[operator]


@given(
    st.lists(st.integers(0, 900), min_size=2, max_size=2, unique=True).map(sorted),
    st.integers(1, 1500),
    shares,
)
def test_two_moves_save_what_a_day_by_day_count_says(
    steps: list[int], life: int, share: Decimal
) -> None:
    """The count bills each class for at least its minimum, like a bill that is read backwards."""
    first, second = steps
    moves = price(
        "gcp",
        [(first, "NEARLINE"), (second, "ARCHIVE")],
        lifetime_days=life,
        mean_object_bytes=MIB,
        monthly_retrieval_share=share,
    )
    plan = [(0, "STANDARD"), (first, "NEARLINE"), (second, "ARCHIVE")]
    for index, move in enumerate(moves):
        if move.verdict is Verdict.NEVER:
            continue
        with_move = bill(plan[: index + 2], share, min(life, *[*steps[index + 1 :], life]))
        without = bill(plan[: index + 1], share, min(life, *[*steps[index + 1 :], life]))
        assert move.saving == pytest.approx(without - with_move, abs=Decimal("1e-9"))


def bill(plan: list[tuple[int, str]], share: Decimal, end: int) -> Decimal:
    """Return what one GiB in objects of 1 MiB costs until its end."""
    tiers = {tier.name: tier for tier in CATALOG.storage_tiers("gcp")}
    total = Decimal(0)
    for index, (start, name) in enumerate(plan):
        tier = tiers[name]
        until = plan[index + 1][0] if index + 1 < len(plan) else end
        days = sum(1 for _ in range(start, until))
        total += tier.per_gb_month.amount * max(days, tier.minimum_days) / DAYS_PER_MONTH  # type: ignore[union-attr]
        total += share * tier.charges.retrieval_per_gb.amount * days / DAYS_PER_MONTH  # type: ignore[union-attr]
        if index:
            total += 1024 * tier.charges.move_in_per_thousand.amount / 1000  # type: ignore[union-attr]
    return total
