"""The tables of the evaluation say what its data says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "benchmarks" / "simulation_page.py"


@pytest.fixture(scope="module")
def page_module():
    spec = importlib.util.spec_from_file_location("simulation_page", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(page_module):
    return json.loads(page_module.DATA.read_text(encoding="utf-8"))


def test_every_table_of_the_page_is_rendered_from_the_data(page_module, data):
    page = page_module.PAGE.read_text(encoding="utf-8")
    for name, table in page_module.render_tables(data).items():
        assert f"<!-- {name} -->\n{table}<!-- end of {name} -->" in page


def test_no_run_is_below_its_bound(data):
    judged = {name: rows for name, rows in data.items() if name != "foresight"}
    rows = [row for family in judged.values() for row in family if row.get("served", 1) >= 0.99]
    assert min(row.get("ratio_with_wait", row["ratio"]) for row in rows) >= 1
    assert min(row[half] for row in data["foresight"] for half in ("first_half", "second_half")) > 1
    assert sum(row["below_bound"] for row in data["deadlines"]) == 0


def test_no_deadline_that_can_be_met_is_missed(data):
    assert {row["missed"] for row in data["deadlines"] if row["policy"] == "ours"} == {0}


def test_how_often_fleets_changed_is_shown_once_every_row_tells_it(page_module, data):
    names = ("actions_a_day", "overshoot_nodes")
    before = [{k: v for k, v in row.items() if k not in names} for row in data["queues"]]
    counted = [row | {"actions_a_day": 12.5, "overshoot_nodes": 3} for row in before]

    def lines(rows):
        return page_module.render_tables({"queues": rows})["simulation queues"].splitlines()

    head, _, first, *_ = lines(counted)
    assert head.endswith("| lost GPU h | actions a day | nodes no work ran on |")
    assert first.endswith("| 12.5 | 3 |")
    assert lines([*counted[:1], *before[1:]])[0].endswith("| lost GPU h |")
