"""The OPA server's life: it starts with its rules or says why not, and never outlives anybody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tidegate.opa.program import find_opa
from tidegate.opa.server import OpaServer
from tidegate.ports import RuleEngineError

RULE = "package tidegate.main\n\nanswers := {}\n"
START_AND_SAY = """
import sys, time
from pathlib import Path
from tidegate.opa.program import find_opa
from tidegate.opa.server import OpaServer
{before}
server = OpaServer(find_opa(), [Path(sys.argv[1])])
print(server.pid, flush=True)
{after}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    directory = tmp_path / "rules"
    directory.mkdir()
    (directory / "main.rego").write_text(RULE)
    return directory


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return status != "Z"


def wait_until_dead(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def start_child(rules: Path, after: str, before: str = "") -> tuple[subprocess.Popen[str], int]:
    program = START_AND_SAY.format(before=before, after=after)
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(rules)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    with child.stdout as said:
        return child, int(said.readline())


def test_answers_who_holds_its_token_and_nobody_else(rules):
    with OpaServer(find_opa(), [rules]) as server:
        url = f"http://127.0.0.1:{server.port}/v1/data/tidegate/main/answers"
        mine = requests.get(url, headers={"Authorization": f"Bearer {server.token}"}, timeout=5)
        others = [
            requests.get(url, timeout=5),
            requests.get(url, headers={"Authorization": "Bearer x"}, timeout=5),
            requests.put(url.replace("data", "policies"), data=RULE, timeout=5),
        ]
        assert (mine.status_code, mine.json()) == (200, {"result": {}})
        assert [response.status_code for response in others] == [401, 401, 401]


def test_closing_ends_the_process_and_no_file_is_left_even_before(rules):
    server = OpaServer(find_opa(), [rules])
    pid, directory = server.pid, Path(server._directory.name)
    assert not directory.exists()
    server.close()
    server.close()
    assert (wait_until_dead(pid), directory.exists(), server.is_running()) == (True, False, False)


def test_a_rule_that_does_not_compile_stops_the_start_with_opas_words(rules):
    (rules / "broken.rego").write_text("package tidegate.rules.x\n\nverdicts contains y\n")
    with pytest.raises(RuleEngineError, match=r"(?s)did not start.*broken\.rego:3.*unsafe"):
        OpaServer(find_opa(), [rules])


def test_rules_that_are_not_there_stop_the_start(tmp_path):
    with pytest.raises(RuleEngineError, match="there are no rules at"):
        OpaServer(find_opa(), [tmp_path / "nowhere"])


def test_a_program_that_cannot_run_stops_the_start(rules, tmp_path):
    with pytest.raises(RuleEngineError, match="could not be run"):
        OpaServer(tmp_path / "opa", [rules])


def test_a_program_that_is_no_opa_stops_the_start(rules):
    with pytest.raises(RuleEngineError, match="did not start"):
        OpaServer(Path("/bin/false"), [rules])


def test_a_program_that_never_answers_is_given_up_and_killed(rules, tmp_path):
    program = tmp_path / "opa"
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    program.chmod(0o755)
    with pytest.raises(RuleEngineError, match="not ready in time"):
        OpaServer(program, [rules], start_timeout_seconds=0.3)
    assert wait_until_dead(int((tmp_path / "pid").read_text()))


def test_a_port_taken_in_between_is_no_reason_to_fail(rules, monkeypatch):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free = [0]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            free[0] = probe.getsockname()[1]
        ports = iter([taken.getsockname()[1], free[0]])
        monkeypatch.setattr("tidegate.opa.server._free_port", lambda: next(ports))
        with OpaServer(find_opa(), [rules]) as server:
            assert server.port == free[0]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's part exists on Linux alone")
def test_dies_with_a_parent_that_is_killed_outright(rules):
    child, pid = start_child(rules, "time.sleep(600)")
    assert is_alive(pid)
    child.kill()
    child.wait()
    assert wait_until_dead(pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_dies_with_a_parent_that_is_asked_to_end(rules, number):
    child, pid = start_child(rules, "time.sleep(600)")
    os.kill(child.pid, number)
    child.wait()
    assert wait_until_dead(pid)


def test_dies_with_a_parent_that_ends_by_itself(rules):
    child, pid = start_child(rules, "")
    assert child.wait(10) == 0
    assert wait_until_dead(pid)


def test_can_be_closed_in_a_signal_handler(rules):
    child, pid = start_child(
        rules,
        "time.sleep(600)",
        "import os, signal\n"
        "signal.signal(signal.SIGTERM, lambda *_: (server.close(), os._exit(7)))",
    )
    os.kill(child.pid, signal.SIGTERM)
    assert child.wait(10) == 7
    assert wait_until_dead(pid)


def test_a_proxy_of_the_company_network_is_not_asked(rules, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with OpaServer(find_opa(), [rules]) as server:
        assert server.client(5.0).check_health()


def test_tests_of_rules_are_not_loaded(rules):
    (rules / "main_test.rego").write_text("package tidegate.main_test\n\nloaded := true\n")
    with OpaServer(find_opa(), [rules]) as server:
        body = server.client(5.0).query_rule({}, "tidegate.main_test", "loaded")
    assert "result" not in body


@pytest.mark.parametrize(("given", "taken"), [(None, "400"), ("50", "50")])
def test_how_much_garbage_opa_keeps_is_told_and_the_environment_overrides_it(
    rules: Path, monkeypatch: pytest.MonkeyPatch, given: str | None, taken: str
) -> None:
    monkeypatch.delenv("GOGC", raising=False)
    if given:
        monkeypatch.setenv("GOGC", given)

    with OpaServer(find_opa(), [rules], garbage_percent=400) as server:
        environment = Path(f"/proc/{server.pid}/environ").read_bytes().split(b"\0")

    assert f"GOGC={taken}".encode() in environment
