from __future__ import annotations

import json

import pytest
import structlog

from tidegate.controller.logs import start_logging


@pytest.fixture(autouse=True)
def plain_logging():
    yield
    structlog.reset_defaults()


def test_events_are_lines_of_json_without_secrets(capsys):
    start_logging()

    structlog.get_logger("x").info("tick", pool="train", why="http://user:pw1234@host is away")

    line = json.loads(capsys.readouterr().err)
    assert {key: line[key] for key in ("event", "level", "pool", "why")} == {
        "event": "tick",
        "level": "info",
        "pool": "train",
        "why": "http://user:***@host is away",
    }


def test_quiet_logs_leave_out_what_went_well(capsys):
    start_logging(quiet=True)

    structlog.get_logger("x").info("tick")
    structlog.get_logger("x").warning("pool not read")

    assert json.loads(capsys.readouterr().err)["event"] == "pool not read"
