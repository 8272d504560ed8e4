from __future__ import annotations

import json
import logging

import pytest
import structlog
from support.logs import forget_logging

from tidegate.controller import logs
from tidegate.controller.logs import remember_secrets, start_logging


@pytest.fixture(autouse=True)
def plain_logging():
    handlers = logging.getLogger().handlers[:]
    yield
    forget_logging()
    logging.getLogger().handlers[:] = handlers


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


def test_what_libraries_log_is_a_line_of_json_without_secrets_too(capsys):
    start_logging()
    start_logging()

    logging.getLogger("urllib3.pool").warning("retrying %s", "https://x/?sig=pw1234&a=1")
    logging.getLogger("urllib3.pool").info("connected")

    line = json.loads(capsys.readouterr().err)
    assert {key: line[key] for key in ("event", "level", "by")} == {
        "event": "retrying https://x/?sig=***&a=1",
        "level": "warning",
        "by": "urllib3.pool",
    }


def test_a_mistake_is_logged_with_its_frames_and_without_what_stood_in_them(capsys):
    start_logging()
    password = "a-word-of-the-frame"

    def fail(word):
        raise RuntimeError(f"token={word}")

    try:
        fail(password)
    except RuntimeError:
        structlog.get_logger("x").exception("tick failed")
        logging.getLogger("y").exception("failed")

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["tick failed", "failed"]
    for line in lines:
        assert "RuntimeError: token=***" in line["exception"]
        assert password not in json.dumps(line)


def test_secrets_deep_in_an_event_are_hidden(capsys):
    start_logging()

    structlog.get_logger("x").info("tick", told={"a": ["password=pw1234"]})

    assert json.loads(capsys.readouterr().err)["told"] == {"a": ["password=***"]}


def test_values_that_were_remembered_are_hidden(capsys, monkeypatch):
    monkeypatch.setattr(logs, "_KNOWN", set())
    start_logging()
    remember_secrets({"open-sesame-1"})

    structlog.get_logger("x").info("tick", why="the word is open-sesame-1")

    assert json.loads(capsys.readouterr().err)["why"] == "the word is ***"
