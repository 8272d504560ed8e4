"""Controllers as processes: killed between two steps, and paused while another takes over."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support.gate import Gate
from support.programs import free_port, running
from support.prometheus import Target, run_prometheus
from support.stage import POOLS, Stage, Story, command_of, wait_for

from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.state.tables import NODES
from tidegate.vocabulary.records import Outcome

pytestmark = pytest.mark.slow

PAST = 1000
"""Seconds that a node is idle already when the processes begin."""
CHANGES = ("TerminateInstance", "update-config", "SetDesiredCapacity")


def is_change(line: str, body: str) -> bool:
    """Return whether a request to AWS changes a pool."""
    return any(word in line or word in body for word in CHANGES)


@pytest.fixture(autouse=True)
def _cleared(stage: Stage) -> Iterator[None]:
    yield
    stage.clear()


class Process:
    """One `tidegate controller run`, whose way to AWS leads through a gate of its own."""

    def __init__(self, gate: Gate, process, log: Path) -> None:
        self.gate, self.process, self.log = gate, process, log

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def changes(self) -> list[str]:
        return [line for line, body in self.gate.passed if is_change(line, body)]

    def said(self, word: str) -> bool:
        return word in self.log.read_text()


@pytest.fixture
def start(stage: Stage, tmp_path: Path) -> Iterator:
    """Return what starts a controller; all are ended afterwards."""
    with ExitStack() as stack:

        def run(name: str, database: Path, *arguments: str) -> Process:
            gate = stack.enter_context(Gate(stage.workspace.endpoints.aws_url))
            command, environment = command_of(stage, gate.url)
            words = (*arguments, "--database", f"sqlite:///{database}")
            log = tmp_path / f"{name}.log"
            process = stack.enter_context(running([*command, *words], log, environment))
            return Process(gate, process, log)

        yield run


@pytest.fixture
def read_store():
    opened = []

    def read(database: Path) -> DatabaseStore:
        opened.append(open_database(f"sqlite:///{database}"))
        return DatabaseStore(opened[-1])

    yield read
    for engine in opened:
        engine.dispose()


def leave_idle_node(stage: Stage, database: Path) -> str:
    """Return a node that is idle for long, as a controller that has ended remembers it."""
    with Story(stage, database) as past:
        past.ask("aws", "train")
        past.turn()
        (node,) = past.join("aws")
        past.wait_bound("aws", "train")
        past.turn(after=15)
        past.stage.kubelets["aws"].set_phase("train", "Succeeded")
        past.turn(after=15)
        assert past.size("aws") == 1
    engine = open_database(f"sqlite:///{database}")
    with engine.begin() as connection:
        since = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=PAST)
        connection.execute(NODES.update().values(since=since))
    engine.dispose()
    return node


def test_killed_between_cordon_and_removal_the_next_one_ends_it(
    stage: Stage, start, read_store, tmp_path: Path
) -> None:
    database = tmp_path / "controller.db"
    node = leave_idle_node(stage, database)
    nodes = stage.kubelets["aws"].nodes
    first = start("first", database)
    first.gate.hold(is_change)
    assert first.gate.held.wait(60), first.log.read_text()
    assert nodes()[node].spec.unschedulable

    first.signal(signal.SIGKILL)
    first.gate.open(drop=True)

    store = read_store(database)
    assert stage.pools.show(POOLS["aws"]).size == 1
    (left,) = [each for each in store.read_decisions(POOLS["aws"], 9) if each.action == "shrink"]
    assert left.outcome is Outcome.INTENDED
    second = start("second", database)
    wait_for(lambda: stage.pools.show(POOLS["aws"]).size == 0, second.log.read_text(), 60)
    wait_for(lambda: store.read_decisions(POOLS["aws"], 1)[0].outcome is not Outcome.INTENDED, "")
    assert len(second.changes()) == 1
    assert [
        (each.action, each.from_nodes, each.to_nodes, each.outcome)
        for each in store.read_decisions(POOLS["aws"], 2)
    ] == [("shrink", 1, 0, Outcome.APPLIED), ("shrink", 1, 0, Outcome.INTENDED)]


def test_killed_after_the_cordon_its_node_is_opened_again_for_work_that_came(
    stage: Stage, start, tmp_path: Path
) -> None:
    database = tmp_path / "controller.db"
    node = leave_idle_node(stage, database)
    kubelets = stage.kubelets["aws"]
    first = start("first", database)
    first.gate.hold(is_change)
    assert first.gate.held.wait(60), first.log.read_text()
    first.signal(signal.SIGKILL)
    first.gate.open(drop=True)
    Story(stage, database).ask("aws", "late")

    second = start("second", database)

    wait_for(lambda: kubelets.node_of("late") == node, second.log.read_text(), 60)
    assert not kubelets.nodes()[node].spec.unschedulable
    assert stage.pools.show(POOLS["aws"]).size == 1
    assert second.changes() == []


def test_a_leader_that_is_paused_is_replaced_and_changes_nothing_when_it_wakes(
    stage: Stage, start, read_store, tmp_path: Path
) -> None:
    leader = ("--leader", "kubernetes:default/tidegate@aws")
    databases = [tmp_path / f"{name}.db" for name in ("one", "two")]
    one = start("one", databases[0], *leader)
    wait_for(lambda: one.said('"event": "tick"'), "a turn of the first", 60)
    two = start("two", databases[1], *leader)
    wait_for(lambda: two.said("stands by"), "the second", 60)
    one.gate.hold(lambda _line, body: "DescribeAutoScalingGroups" in body)
    Story(stage, databases[0]).ask("aws", "train")
    assert one.gate.held.wait(30)

    one.signal(signal.SIGSTOP)
    wait_for(lambda: two.changes() != [], two.log.read_text(), 60)
    one.gate.open()
    one.signal(signal.SIGCONT)
    wait_for(lambda: one.said("leads no more"), one.log.read_text(), 30)

    assert stage.pools.show(POOLS["aws"]).size == 1
    assert (one.changes(), len(two.changes())) == ([], 1)
    assert read_store(databases[0]).read_decisions(POOLS["aws"], 9) == []
    lease = stage.clusters["aws"].read_lease("tidegate")
    assert lease.lease_transitions == 2


def test_prometheus_scrapes_a_controller_that_works(stage: Stage, start, tmp_path: Path) -> None:
    port = free_port()
    Story(stage, tmp_path / "controller.db").ask("gcp", "train")
    start("scraped", tmp_path / "controller.db", "--listen", f"127.0.0.1:{port}")
    target = Target(f"127.0.0.1:{port}")

    with run_prometheus(tmp_path, {"controller": target}) as prometheus:
        prometheus.wait_for("tidegate_leads == 1", 60)
        (grown,) = prometheus.wait_for('tidegate_decisions_total{action="grow"} > 0', 60)
        pool = f'tidegate_pool_target_nodes{{pool="{POOLS["gcp"]}"}} == 1'
        (sized,) = prometheus.wait_for(pool, 60)

    assert (grown["value"][1], grown["metric"]["outcome"]) == ("1", "applied")
    assert sized["metric"]["job"] == "controller"
