from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from support.collector import attributes, run_collector
from support.controller import FakeClock
from support.troubled import POOLS, build_troubled

from tidegate.controller.loop import Controller
from tidegate.controller.tracing import SILENT, parse_endpoint, span, start_tracing
from tidegate.vocabulary.problems import InvalidInput


def take_turn(store, wiring):
    async def go():
        controller = Controller(lambda: wiring, store, FakeClock(), holder="one")
        await controller.tick()
        controller._executor.shutdown(wait=False)

    asyncio.run(go())


@pytest.fixture
def collected(store):
    with run_collector() as collector:
        stop = start_tracing(collector.url, "one")
        take_turn(store, build_troubled())
        stop()
        yield collector


def children(collector, parent):
    return sorted(each.name for each in collector.spans if each.parent_span_id == parent.span_id)


def test_a_turn_is_one_trace_from_the_look_to_the_order(collected):
    (tick,) = collected.named("tick")
    (observe,) = collected.named("observe")
    (apply,) = collected.named("apply")

    assert {each.trace_id for each in collected.spans} == {tick.trace_id}
    assert tick.parent_span_id == b""
    assert children(collected, tick) == ["apply", "decide", "observe"]
    assert children(collected, observe) == [
        *["observe pool"] * len(POOLS),
        *["observe source"] * 2,
    ]
    assert children(collected, apply) == ["apply order"] * 2
    for each in collected.spans:
        assert 0 < each.start_time_unix_nano <= each.end_time_unix_nano
    assert observe.end_time_unix_nano <= apply.start_time_unix_nano


def test_spans_say_what_was_looked_at_decided_and_done(collected):
    (tick,) = collected.named("tick")
    (decide,) = collected.named("decide")
    orders = {attributes(each)["tidegate.pool"]: each for each in collected.named("apply order")}
    pools = {attributes(each)["tidegate.pool"]: each for each in collected.named("observe pool")}
    sources = {
        attributes(each)["tidegate.source"]: each for each in collected.named("observe source")
    }

    assert collected.resource["service.name"] == "tidegate-controller"
    assert collected.resource["service.instance.id"] == "one"
    assert attributes(tick) == {
        "tidegate.holder": "one",
        "tidegate.token": 1,
        "tidegate.stack": "tests/dev",
    }
    told = attributes(decide)
    assert (told["tidegate.waiting"], told["tidegate.resizes"]) == (9, 2)
    assert attributes(orders["train"]) == {
        "tidegate.pool": "train",
        "tidegate.action": "grow",
        "tidegate.from_nodes": 1,
        "tidegate.to_nodes": 3,
        "tidegate.outcome": "applied",
    }
    assert orders["train"].status.code == 0
    assert (orders["spot"].status.code, orders["spot"].status.message) == (
        2,
        "stock-out: none left",
    )
    assert attributes(pools["train"])["tidegate.target_nodes"] == 1
    assert (pools["away"].status.code, pools["away"].status.message) == (
        2,
        "denied: credentials expired",
    )
    assert attributes(sources["queue"]) == {"tidegate.source": "queue", "tidegate.items": 9}
    assert (sources["silent"].status.code, sources["silent"].status.message) == (2, "no answer")


def test_a_collector_gets_the_headers_that_it_asks_for(store, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    with run_collector() as collector:
        stop = start_tracing(collector.url, "one")
        with span("tick"):
            pass
        stop()

    ((path, headers),) = collector.requests
    assert (path, headers["authorization"]) == ("/v1/traces", "Bearer abc")


def test_a_fault_is_told_without_its_frames_and_secrets():
    with run_collector() as collector:
        stop = start_tracing(collector.url, "one")
        with pytest.raises(RuntimeError), span("tick", why="password=abc123"):
            raise RuntimeError("http://user:pw1234@host is away")
        stop()

    (tick,) = collector.spans
    assert (tick.status.code, tick.status.message) == (
        2,
        "RuntimeError: http://user:***@host is away",
    )
    assert attributes(tick) == {"tidegate.why": "password=***"}
    assert list(tick.events) == []
    assert b"pw1234" not in b"".join(collector.bodies)


def test_nothing_is_traced_before_the_start_and_after_the_end(store):
    with run_collector() as collector:
        with span("before") as early:
            assert early is SILENT
        start_tracing(collector.url, "one")()
        with span("after") as late:
            assert late is SILENT
        take_turn(store, build_troubled())

    assert collector.spans == []


def test_a_collector_that_is_away_keeps_nothing_from_being_done(store):
    stop = start_tracing("http://127.0.0.1:9", "one")
    take_turn(store, build_troubled())
    stop()

    assert store.read_last_tick() is not None


def test_without_a_collector_the_sdk_is_not_loaded():
    program = (
        "import sys, tidegate.controller.loop, tidegate.controller.tracing as t\n"
        "with t.span('tick') as s: s.note(a=1); s.fail('x')\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://collector:4318", "http://collector:4318/v1/traces"),
        ("https://collector/", "https://collector/v1/traces"),
        ("https://collector/otlp", "https://collector/otlp/v1/traces"),
        ("http://collector:4318/v1/traces", "http://collector:4318/v1/traces"),
    ],
)
def test_an_endpoint_is_taken_with_or_without_its_path(given, url):
    assert parse_endpoint(given) == url


@pytest.mark.parametrize("given", ["collector:4318", "grpc://collector:4317", "http://", "x"])
def test_an_endpoint_that_is_none_is_refused(given):
    with pytest.raises(InvalidInput, match="is no URL of HTTP"):
        parse_endpoint(given)
