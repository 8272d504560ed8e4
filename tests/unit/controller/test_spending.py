"""What keeps a fleet below its ceiling when a cloud refuses the deletions that a plan counts on."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from support.controller import (
    NOW,
    FakeClock,
    FakeCordons,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    wire,
    work,
)

from tidegate.controller.applying import Applier
from tidegate.controller.loop import Controller
from tidegate.controller.orders import Order
from tidegate.controller.spending import Spending
from tidegate.manifest.model import HourlyCeiling
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind, Shortfall
from tidegate.vocabulary.records import DecisionRecord, Outcome
from tidegate.vocabulary.reports import WorkReport

FREED = {"spot": Decimal(60), "other": Decimal(0)}


@pytest.mark.parametrize(
    ("spending", "shrunk", "says"),
    [
        (Spending(), (), ""),
        (Spending(None, Decimal(80), FREED), (), ""),
        (Spending(Decimal(100), Decimal(40), FREED), (), ""),
        (Spending(Decimal(100), Decimal(80), FREED), ("spot",), ""),
        (Spending(Decimal(100), Decimal(120), {}), (), ""),
        (
            Spending(Decimal(100), Decimal(80), FREED, "USD"),
            ("other",),
            "while spot cannot shrink, the fleet would cost 140.00 of at most 100 USD an hour",
        ),
    ],
    ids=["nothing", "no ceiling", "room for both", "shrunk", "nothing to free", "too much"],
)
def test_growth_waits_for_what_the_ceiling_needs_to_be_freed(spending, shrunk, says):
    assert spending.explain_excess(shrunk) == says


@pytest.fixture
def life(tmp_path):
    """Two pools of which the ceiling allows one node; what spot never delivered is given up."""
    pools = FakePools({"a-spot": 1, "b-other": 0}, delivers=False)
    pools.shortfalls["a-spot"] = Shortfall(RefusalKind.STOCK_OUT, "none left")
    manifest = declare(
        declare_pool("a-spot", max_nodes=1),
        declare_pool("b-other", max_nodes=1),
    ).model_copy(update={"hourly_ceiling": HourlyCeiling(amount=60)})
    source = FakeSource(answer=WorkReport(work(1), in_progress={"a-spot": 0, "b-other": 0}))
    wiring = wire(manifest, pools, source)
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    store = DatabaseStore(engine)

    clock = FakeClock()

    def take(turns, between=lambda: None):
        async def go():
            controller = Controller(lambda: wiring, store, clock)
            ticks = []
            for _ in range(turns):
                ticks.append(await controller.tick())
                between()
                clock.advance(15)
            await controller.close()
            return ticks

        return asyncio.run(go())

    yield pools, store, take
    engine.dispose()


@pytest.mark.parametrize("kind", [RefusalKind.DENIED, RefusalKind.TRANSIENT])
def test_what_could_not_be_given_up_costs_on_while_its_cloud_cannot_be_read(life, kind):
    """It was never delivered, and may come as long as nobody sees that it does not."""
    pools, _store, take = life

    def refuse(pool):
        if pool == "a-spot":
            raise CloudRefused(kind, "no")

    def fall_silent():
        pools.unreadable["a-spot"] = CloudRefused(RefusalKind.THROTTLED, "Rate exceeded")

    pools.refuse = refuse
    take(3, between=fall_silent)
    silent = list(pools.calls)
    pools.unreadable.clear()
    pools.refuse = lambda _pool: None
    take(1)

    assert silent == []
    assert pools.calls == [("size", "a-spot", 0), ("size", "b-other", 1)]


def outcomes(store, pool):
    return [(each.action, each.outcome) for each in store.read_decisions(pool, 9)]


def test_what_was_never_delivered_is_given_up_first_and_then_ordered_elsewhere(life):
    pools, store, take = life

    take(1)

    assert pools.calls == [("size", "a-spot", 0), ("size", "b-other", 1)]
    assert outcomes(store, "b-other") == [("grow", Outcome.APPLIED)]


def test_where_it_cannot_be_given_up_nothing_grows_past_the_ceiling_elsewhere(life):
    pools, store, take = life

    def refuse(pool):
        if pool == "a-spot":
            raise CloudRefused(RefusalKind.DENIED, "credentials expired")

    pools.refuse = refuse
    first, _ = take(2, between=lambda: setattr(pools, "refuse", lambda _pool: None))
    (held,) = [done for done in first.done if done.order.pool == "b-other"]

    assert (held.outcome, held.kind) == (Outcome.HELD, None)
    assert held.detail == (
        "while a-spot cannot shrink, the fleet would cost 110.08 of at most 60 USD an hour"
    )
    assert pools.calls == [("size", "a-spot", 0), ("size", "b-other", 1)]
    assert outcomes(store, "b-other") == [("grow", Outcome.APPLIED), ("grow", Outcome.HELD)]


def order(pool, seen, wanted, **changes):
    record = DecisionRecord(NOW, pool, "grow" if wanted >= seen else "shrink", "", seen, wanted)
    return Order(pool, seen, wanted, record, **changes)


@pytest.fixture
def carry_out(tmp_path):
    """Apply orders to two pools of two nodes each; work started on `a-1` since the look."""
    pools = FakePools({"a": 2, "b": 2}, machines={"a": ["a-0", "a-1"], "b": ["b-0", "b-1"]})
    pools.made = 2
    wiring = wire(
        declare(declare_pool("a"), declare_pool("b")), pools, cordons=FakeCordons(busy={"a-1"})
    )
    engine = open_database(f"sqlite:///{tmp_path / 'orders.db'}")
    store = DatabaseStore(engine)
    token = store.take_lease("one", 0.0)

    def go(orders, spending):
        with ThreadPoolExecutor() as executor:
            return asyncio.run(Applier(wiring, store, executor, token).apply(orders, spending))

    yield pools, go
    engine.dispose()


BOTH = {"machines": ("a-0", "a-1"), "nodes": {"a-0": "a-0", "a-1": "a-1"}}


def test_where_work_started_on_what_was_to_go_nothing_grows_past_the_ceiling_elsewhere(carry_out):
    pools, go = carry_out
    spending = Spending(Decimal(100), Decimal(75), {"a": Decimal(50)}, "USD")

    done = go([order("a", 2, 0, **BOTH), order("b", 2, 3)], spending)

    assert pools.sizes == {"a": 1, "b": 2}
    assert [(each.order.pool, each.outcome, each.kept) for each in done] == [
        ("a", Outcome.APPLIED, 1),
        ("b", Outcome.HELD, 0),
    ]


def test_a_pool_grows_in_the_place_of_what_it_deletes_itself(carry_out):
    pools, go = carry_out
    spending = Spending(Decimal(100), Decimal(100), {"b": Decimal(25)}, "USD")
    replaced = order("b", 2, 2, machines=("b-0",), nodes={"b-0": "b-0"})

    (done,) = go([replaced], spending)

    assert done.outcome is Outcome.APPLIED
    assert pools.calls == [("remove", "b", "b-0"), ("size", "b", 2)]


def test_nothing_grows_in_the_place_of_a_node_on_which_work_started(carry_out):
    pools, go = carry_out

    go([order("a", 2, 3, machines=("a-1",), nodes={"a-1": "a-1"})], Spending())

    assert pools.sizes == {"a": 2, "b": 2}
    assert pools.calls == []
