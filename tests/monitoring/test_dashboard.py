"""The dashboard: whole as Grafana reads it, and each expression asked of the real Prometheus."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from support.controller import FakeClock
from support.prometheus import Prometheus, Target, run_prometheus
from support.troubled import build_troubled

from tidegate.controller.face import Face, Views
from tidegate.controller.loop import Controller
from tidegate.controller.metrics import GAUGES, ControllerMetrics
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy" / "prometheus" / "tidegate-controller.rules.yaml"
DASHBOARD = json.loads(
    (ROOT / "deploy" / "grafana" / "tidegate-controller.json").read_text(encoding="utf-8")
)
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
NEEDED = {
    "stat": {
        "colorMode", "graphMode", "justifyMode", "orientation", "percentChangeColorMode",
        "reduceOptions", "showPercentChange", "textMode", "wideLayout",
    },
    "timeseries": {"legend", "tooltip"},
}  # fmt: skip
"""The options that Grafana's own model of a panel requires (Foundation SDK 0.0.22, Apache-2.0)."""
EMPTY = (
    *("pending_to_resize", "refusals", "interruptions", "rework", "unpriced"),
    *("tidegate_idle_", "tidegate_use_"),
)
"""What has series only after something happened between two scrapes, where prices are unknown, or
where a stack leaves notebooks or endpoints to the controller."""


def test_it_is_a_dashboard_that_grafana_imports():
    assert DASHBOARD["id"] is None
    assert (DASHBOARD["uid"], DASHBOARD["schemaVersion"]) == ("tidegate-controller", 39)
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    source, job = DASHBOARD["templating"]["list"]
    assert (source["name"], source["type"], source["query"]) == (
        "datasource",
        "datasource",
        "prometheus",
    )
    assert (job["name"], job["type"], job["datasource"]) == ("job", "query", SOURCE)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_every_panel_is_whole(panel: dict[str, Any]):
    assert panel["type"] in {"stat", "timeseries"}
    assert panel["datasource"] == SOURCE
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert NEEDED[panel["type"]] <= set(panel["options"])
    references = [target["refId"] for target in panel["targets"]]
    assert len(references) == len(set(references)) > 0
    for target in panel["targets"]:
        assert target["datasource"] == SOURCE
        assert target["instant"] != target["range"]
        assert 'job=~"$job"' in target["expr"]
    names = set(re.findall(r"\$\{?(\w+)", json.dumps(panel)))
    assert names <= {"datasource", "job", "__rate_interval"}


def test_panels_stand_side_by_side_within_the_grid():
    boxes = [(panel["title"], panel["gridPos"]) for panel in DASHBOARD["panels"]]
    for title, box in boxes:
        assert 0 <= box["x"] < box["x"] + box["w"] <= 24, title
    for (one, a), (two, b) in combinations(boxes, 2):
        apart = (
            a["x"] + a["w"] <= b["x"]
            or b["x"] + b["w"] <= a["x"]
            or a["y"] + a["h"] <= b["y"]
            or b["y"] + b["h"] <= a["y"]
        )
        assert apart, (one, two)


def test_every_figure_is_drawn_and_every_drawn_one_exists():
    used = {
        re.sub(r"_(bucket|total)$", "", name)
        for expression in EXPRESSIONS
        for name in re.findall(r"tidegate_\w+", expression)
    }

    assert used == {family.name for family in ControllerMetrics().registry.collect()}
    assert len(used) > len(GAUGES)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Yield a server that scrapes a controller with every kind of trouble, and loads the alerts."""
    folder = tmp_path_factory.mktemp("prometheus")
    engine = open_database(f"sqlite:///{folder / 'state.db'}")
    now = datetime.now(UTC)
    wiring = build_troubled(now=now)
    clock = FakeClock(now)
    controller = Controller(lambda: wiring, DatabaseStore(engine), clock, holder="one")

    async def take_turns() -> None:
        for _ in range(2):
            await controller.tick()
        await controller.close()

    asyncio.run(take_turns())
    views = Views(lambda: "", controller.metrics.render, controller.describe, lambda: 0.0)
    face = Face("127.0.0.1", 0, views)
    try:
        targets = {"tidegate": Target(f"127.0.0.1:{face.port}")}
        with run_prometheus(folder, targets, [RULES]) as server:
            server.wait_for("count_over_time(tidegate_leads[1m]) > 2")
            yield server
    finally:
        face.close()
        engine.dispose()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_expression_is_answered_by_what_a_controller_exports(
    prometheus: Prometheus, expression: str
):
    asked = expression.replace("$job", ".*").replace("$__rate_interval", "1m")

    found = prometheus.query(asked)

    if not any(name in expression for name in EMPTY):
        assert found, asked


def test_the_rules_are_loaded_and_what_is_wrong_now_is_pending_or_fires(prometheus: Prometheus):
    prometheus.wait_for('ALERTS{alertname="TidegateSignalLost"}')

    (group,) = prometheus.rule_groups()
    assert {rule["health"] for rule in group["rules"]} == {"ok"}
    found = {alert["labels"]["alertname"] for alert in prometheus.alerts()}
    assert found == {
        "TidegateHeldDecisions",
        "TidegateIdleReservation",
        "TidegatePoolUnreadable",
        "TidegateSignalLost",
        "TidegateUnmetDemand",
    }
