"""Before and after: what is known is compared, what is not known makes no difference of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.pricing.difference import Compared, UnknownSide, build_cost_difference
from tidegate.pricing.figures import BASES, Figures, same_everywhere
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.plan import PlanCost, build_plan_cost, sum_lines
from tidegate.vocabulary.capacity import CapacityType, Cloud

CATALOG = load_catalog()
NOTHING = sum_lines((), "sha256:0")


def line(id="train", amount="100", capacity=CapacityType.SPOT, **others):
    monthly = others.pop("monthly", None)
    if monthly is None:
        monthly = same_everywhere(None if amount is None else Decimal(amount))
    return CostLine(
        **{
            "kind": LineKind.POOL,
            "id": id,
            "cloud": Cloud.AWS,
            "region": "us-east-1",
            "capacity_type": capacity,
            "currency": "USD",
            "monthly": monthly,
            "unknown": () if amount is not None else (f"no price of {id}",),
            **others,
        }
    )


def plan(*lines: CostLine) -> PlanCost:
    return sum_lines(lines, "sha256:0")


def same(before, after, change):
    return Compared(*(same_everywhere(Decimal(each)) for each in (before, after, change)))


def test_a_change_is_what_will_be_less_what_was_on_each_basis():
    before = plan(line(monthly=Figures(*map(Decimal, (0, 100, 300, 250)))))
    after = plan(line(monthly=Figures(*map(Decimal, (50, 100, 600, 250)))))
    difference = build_cost_difference(before, after)
    assert difference.totals()["USD"].change == Figures(*map(Decimal, (50, 0, 300, 0)))
    (changed,) = difference.changed
    assert changed.change == Figures(*map(Decimal, (50, 0, 300, 0)))


def test_what_comes_and_what_goes_is_changed_and_what_stays_is_not():
    before = plan(line("goes", "10"), line("stays", "5"))
    after = plan(line("comes", "30"), line("stays", "5"))
    difference = build_cost_difference(before, after)
    assert [each.id for each in difference.changed] == ["comes", "goes"]
    assert difference.totals() == {"USD": same(15, 35, 20)}


def test_a_pool_that_is_bought_otherwise_leaves_one_group_and_enters_another():
    before, after = (
        plan(line(amount="40")),
        plan(line(amount="90", capacity=CapacityType.ON_DEMAND)),
    )
    difference = build_cost_difference(before, after)
    assert difference.by_capacity_type() == {
        (CapacityType.SPOT, "USD"): same(40, 0, -40),
        (CapacityType.ON_DEMAND, "USD"): same(0, 90, 90),
    }
    assert difference.by_cloud() == {(Cloud.AWS, "USD"): same(40, 90, 50)}


def test_a_price_missing_on_one_side_makes_no_difference_and_is_listed():
    before, after = plan(line(amount=None)), plan(line(amount="9000"), line("other", "1"))
    difference = build_cost_difference(before, after)
    assert difference.totals() == {"USD": replace(same(0, 9001, 1), incomplete=BASES)}
    assert difference.unknown == (
        UnknownSide("before", LineKind.POOL, "train", BASES, "no price of train"),
    )
    assert [each.id for each in difference.changed] == ["other", "train"]


def test_a_stack_that_does_not_exist_yet_costs_nothing_and_is_compared():
    difference = build_cost_difference(NOTHING, plan(line(amount="7")))
    assert (difference.is_compared, difference.totals()) == (True, {"USD": same(0, 7, 7)})


def test_an_unknown_state_is_compared_with_nothing_at_all():
    difference = build_cost_difference(None, plan(line(amount="7")))
    assert (difference.is_compared, difference.changed) == (False, ())


def test_currencies_are_never_mixed():
    before, after = plan(line(amount="10")), plan(line(amount="10", currency="EUR"))
    difference = build_cost_difference(before, after)
    assert difference.totals() == {"USD": same(10, 0, -10), "EUR": same(0, 10, 10)}
    assert difference.changed[0].change == same_everywhere(None)


def test_prices_of_both_sides_are_listed_with_their_days():
    old = UsedPrice("a", "list", date(2025, 8, 20))
    new = UsedPrice("b", "list", date(2026, 11, 1))
    difference = build_cost_difference(plan(line(prices=(old,))), plan(line(prices=(new, old))))
    assert difference.prices == (old, new)
    assert difference.price_days() == (date(2025, 8, 20), date(2026, 11, 1))
    assert build_cost_difference(NOTHING, NOTHING).price_days() is None


def test_an_assumed_price_on_either_side_marks_what_it_enters():
    guess = UsedPrice("a", "average", date(2026, 1, 1), assumed=True, bases=("maximum",))
    difference = build_cost_difference(plan(line(prices=(guess,))), plan(line()))
    assert difference.totals()["USD"].assumed == ("maximum",)


def test_storage_telemetry_and_commitments_are_in_it(pool, manifest):
    kept = {"cloud": "aws", "region": "us-east-1", "labels": {}}
    bucket = {"id": "data", "storage_class": "scratch", "expected_gib": "1000", **kept}
    stream = {
        "id": "logs",
        "telemetry_class": "run-logs",
        "retention_days": 30,
        "expected_gib_per_month": "10",
        **kept,
    }
    committed = {
        "id": "block",
        "kind": "capacity-block",
        "units": 2,
        "price": {"amount": "30", "as_of": "2026-11-01", "origin": "contract"},
        **kept,
    }
    before = manifest(pools=[pool()], telemetry=[stream])
    after = manifest(
        pools=[pool()],
        commitments=[committed],
        buckets=[bucket],
        telemetry=[{**stream, "expected_gib_per_month": "30"}],
    )
    difference = build_cost_difference(
        build_plan_cost(before, CATALOG), build_plan_cost(after, CATALOG)
    )
    changes = {each.kind: each.change.declared for each in difference.changed}
    assert list(changes) == [LineKind.COMMITMENT, LineKind.BUCKET, LineKind.TELEMETRY]
    assert changes[LineKind.COMMITMENT] == Decimal(30 * 2 * 730)
    stream_before = build_plan_cost(before, CATALOG).by_kind()[LineKind.TELEMETRY, "USD"].declared
    assert changes[LineKind.TELEMETRY] == 2 * stream_before
    assert changes[LineKind.BUCKET] > 0


amounts = st.none() | st.integers(0, 10**9).map(Decimal)
plans = st.dictionaries(st.sampled_from("abcdef"), amounts, max_size=6).map(
    lambda each: plan(
        *(
            line(name, amount=None if amount is None else str(amount))
            for name, amount in each.items()
        )
    )
)


@given(plans, plans)
def test_where_everything_is_known_before_and_change_make_after(before, after):
    compared = build_cost_difference(before, after).totals().get("USD")
    if compared is None or before.unknown or after.unknown:
        return
    assert compared.after == Figures(
        *(getattr(compared.before, basis) + getattr(compared.change, basis) for basis in BASES)
    )


@given(plans, plans)
def test_there_and_back_again_changes_nothing(before, after):
    there = build_cost_difference(before, after).totals()
    back = build_cost_difference(after, before).totals()
    assert {key: each.change for key, each in there.items()} == {
        key: each.change.map(lambda amount: -amount) for key, each in back.items()
    }
