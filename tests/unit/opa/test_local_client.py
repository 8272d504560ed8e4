"""What all questions share is sent once, and every failure is one that `requests` knows."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tidegate.opa.local_client import LocalClient, Shared, find_shared_keys
from tidegate.opa.program import find_opa
from tidegate.opa.server import OpaServer
from tidegate.policy.document import SHARED_KEYS

PACK = Path(__file__).resolve().parents[3] / "policies"
SHARED_MODULE = (PACK / "lib" / "shared.rego").read_text()
ECHO = """package echo

import data.tidegate.lib.shared

answer := {"parameters": shared.parameters, "asked": object.keys(input), "left": left}

left := object.get(data.tidegate, "shared", {})
"""
ASKED = {"parameters": {"A": {"days": 1}}, "labelKeys": ["owner"], "date": "2026-11-30"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    (folder / "shared.rego").write_text(SHARED_MODULE)
    (folder / "echo.rego").write_text(ECHO.replace("object.keys(input)", "input.date"))
    with OpaServer(find_opa(), [folder]) as running:
        yield running


@contextmanager
def connect(port: int):
    """Give a client that holds no token of anybody's."""
    client = LocalClient(port, "wrong", 10.0, Shared(frozenset()))
    yield client
    client.close_connection()


def ask(client: LocalClient, question: dict[str, object]) -> object:
    return client.query_rule(question, "echo", "answer")["result"]


def test_a_question_reads_as_if_it_carried_what_was_left(server):
    left = {key: ASKED[key] for key in ("parameters", "labelKeys")}
    answer = ask(server.client(10.0), ASKED)
    assert answer == {"parameters": {"A": {"days": 1}}, "asked": "2026-11-30", "left": left}


def test_another_client_and_other_parameters_are_never_mixed_up(server):
    one, two = server.client(10.0), server.client(10.0)
    others = {**ASKED, "parameters": {"A": {"days": 2}}}
    found = [ask(client, asked) for client, asked in ((one, ASKED), (two, others), (one, ASKED))]
    assert [each["parameters"]["A"]["days"] for each in found] == [1, 2, 1]


def test_what_a_question_no_longer_has_is_taken_away(server):
    ask(server.client(10.0), ASKED)
    answer = server.client(10.0).query_rule({"date": "x", "parameters": {}}, "echo", "answer")
    assert answer["result"]["left"] == {"parameters": {}}


@pytest.mark.parametrize(
    ("module", "kept"),
    [
        ("x := input.parameters.days", {"parameters"}),
        ('x := input["labelKeys"]', {"labelKeys"}),
        ("x := input . storageClasses", {"storageClasses"}),
        ("# reads input.parameters\nx := input.date", set()),
        (
            "x := object.get(input, key, 0)",
            set(SHARED_KEYS),
        ),
    ],
)
def test_what_a_rule_reads_from_its_question_goes_with_it(tmp_path, module, kept):
    (tmp_path / "a.rego").write_text(f"package a\n\n{module}\n")
    (tmp_path / "a_test.rego").write_text("package a_test\n\nx := 1 with input as {}\n")
    (tmp_path / "shared.rego").write_text(SHARED_MODULE)
    assert find_shared_keys([tmp_path]) == {*SHARED_KEYS} - kept


def test_no_rule_of_the_pack_takes_the_shared_part_with_every_question():
    assert find_shared_keys([PACK / "lib", PACK / "rules"]) == {*SHARED_KEYS}


def test_a_refusal_carries_opas_words(server):
    with connect(server.port) as client, pytest.raises(requests.HTTPError) as caught:
        ask(client, ASKED)
    assert caught.value.response.status_code == 401
    assert "message" in caught.value.response.json()


def test_a_value_that_json_cannot_say_is_never_sent(server):
    with pytest.raises(ValueError, match="JSON"):
        ask(server.client(10.0), {"date": float("nan")})


@contextmanager
def serving(answer: bytes):
    """Give the port of a server that sends one answer to whoever comes first."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=run)
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", requests.ConnectionError),
        (b"nonsense\r\n\r\n", requests.ConnectionError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", requests.ConnectionError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", ValueError),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", requests.HTTPError),
    ],
)
def test_what_is_no_answer_is_an_error(answer, error):
    with serving(answer) as port, connect(port) as client, pytest.raises(error):
        ask(client, {})


def test_nobody_there_is_an_error_and_not_healthy():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with connect(port) as client:
        assert not client.check_health()
        with pytest.raises(requests.ConnectionError):
            ask(client, {})
