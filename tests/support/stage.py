"""A stack on local clouds whose clusters are real, and a controller wired as its command is."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml
from prometheus_client.parser import text_string_to_metric_families
from support.control_plane import Cluster
from support.kubelet import Kubelets
from support.sized_pools import SizedPools
from support.workspace import Workspace

from tidegate.cli.controller_stack import StackChoice, StackFeed
from tidegate.controller.loop import Controller
from tidegate.localclouds.lifecycle import local_environment
from tidegate.manifest.bindings import read_bound_pools
from tidegate.manifest.model import Manifest, Pool
from tidegate.manifest.read import read_manifest
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore

STACK = "dev"
POOLS = {"aws": "dev-aws-l4", "gcp": "dev-gcp-l4", "azure": "dev-azure-t4"}
KEPT = ("clusters", "environment", "hourlyCeiling", "labels", "pools")
BIND_SECONDS = 30.0
SYSTEM = "system-node"
"""A node of each cluster that belongs to no pool, and has no accelerator."""
KEEP_ALIVE_SECONDS = 4000
"""Longer than any idle node is kept."""


@dataclass
class Stage:
    """What is declared, and where it runs."""

    workspace: Workspace
    clusters: Mapping[str, Cluster]
    manifest: Manifest
    outputs: Path
    sources: Path
    pools: SizedPools
    kubelets: Mapping[str, Kubelets]

    def declared(self, cloud: str) -> Pool:
        """Return the pool of a cloud, as declared."""
        return next(pool for pool in self.manifest.pools if pool.id == POOLS[cloud])

    def choice(self) -> StackChoice:
        """Return what a user of the command would say."""
        root = self.workspace.root
        return StackChoice(STACK, root, str(self.outputs), "", self.sources, (), None)

    def clear(self) -> None:
        """Remove every pod and node, and size every pool to zero by its own SDK."""
        for cloud, kubelets in self.kubelets.items():
            kubelets.clear()
            self.pools.empty(POOLS[cloud])


def open_stage(workspace: Workspace, clusters: Mapping[str, Cluster]) -> Stage:
    """Declare the stack: of the example, clusters and pools, all scaled by Tidegate."""
    workspace.configure(STACK, _simplify)
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    document = workspace.runner.outputs(STACK)
    outputs, sources = workspace.root / "outputs.json", workspace.root / "sources.yaml"
    outputs.write_text(json.dumps(document, default=str))
    manifest = read_manifest(STACK, document)
    names = {pool.cloud.value: pool.cluster for pool in manifest.pools}
    listed = [
        {
            "kind": "kubernetes",
            "name": cloud,
            "cloud": cloud,
            "cluster": names[cloud],
            "context": cloud,
            "kubeconfig": str(cluster.kubeconfig),
        }
        for cloud, cluster in clusters.items()
    ]
    sources.write_text(yaml.safe_dump({"sources": listed}))
    return Stage(
        workspace,
        clusters,
        manifest,
        outputs,
        sources,
        SizedPools(workspace.endpoints, read_bound_pools(document)),
        {cloud: Kubelets(cluster.core) for cloud, cluster in clusters.items()},
    )


def _simplify(config: dict[str, Any]) -> None:
    for key in [key for key in config if key.startswith("tidegate:")]:
        if key.removeprefix("tidegate:") not in KEPT:
            del config[key]
    for pool in config["tidegate:pools"].values():
        pool.update(scaler="tidegate", workloadClass="training", maxNodes=3)


@dataclass
class ShiftedClock:
    """The machine's own clocks, ahead by what a test has skipped."""

    ahead: float = 0.0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@dataclass
class Story:
    """A controller on a stage; its turns, and what a kubelet does in between."""

    stage: Stage
    database: Path
    clock: ShiftedClock = field(default_factory=ShiftedClock)

    def __enter__(self) -> Self:
        self._engine = open_database(f"sqlite:///{self.database}")
        self.store = DatabaseStore(self._engine)
        self._runner = asyncio.Runner()
        feed = StackFeed(self.stage.choice())
        self.controller = Controller(feed, self.store, self.clock)
        for cloud, kubelets in self.stage.kubelets.items():
            kubelets.join(SYSTEM, f"{cloud}:///{SYSTEM}", {}, gpus=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._runner.run(self.controller.close())
        self._runner.close()
        self._engine.dispose()

    def turn(self, *, after: float = 0) -> Any:
        """Take a turn, some seconds later than the last."""
        self.clock.ahead += after
        tick = self._runner.run(self.controller.tick())
        assert tick is not None
        return tick

    def size(self, cloud: str) -> int:
        """Return the size that a cloud's own SDK shows of its pool."""
        return self.stage.pools.show(POOLS[cloud]).size

    def ask(self, cloud: str, name: str, gpus: int = 1, **options: Any) -> None:
        """Create a pod that its cluster's pool would take."""
        pool = self.stage.declared(cloud)
        tolerations = [{"key": taint.key, "operator": "Exists"} for taint in pool.taints]
        labels = {"workload-class": "training", **options.pop("labels", {})}
        kubelets = self.stage.kubelets[cloud]
        kubelets.ask(name, gpus, tolerations=tolerations, labels=labels, **options)

    def join(self, cloud: str, *, gpus: int | None = 1) -> list[str]:
        """Register a node for each machine that has none, as the pool declares it."""
        pool, kubelets = self.stage.declared(cloud), self.stage.kubelets[cloud]
        there, made = kubelets.nodes(), []
        taints = [{"key": t.key, "value": t.value, "effect": t.effect} for t in pool.taints]
        for name, provider_id in self.stage.pools.show(pool.id).machines.items():
            if name not in there:
                kubelets.join(name, provider_id, pool.labels, taints, gpus)
                made.append(name)
        return made

    def leave(self, cloud: str) -> list[str]:
        """Unregister the nodes whose machine is gone."""
        kubelets = self.stage.kubelets[cloud]
        shown = self.stage.pools.show(POOLS[cloud]).machines
        gone = [name for name in kubelets.nodes() if name not in shown and name != SYSTEM]
        for name in gone:
            kubelets.leave(name)
        return gone

    def wait_bound(self, cloud: str, *pods: str) -> list[str]:
        """Wait until the scheduler has bound pods, say that they run; return their nodes."""
        kubelets = self.stage.kubelets[cloud]
        wait_for(lambda: all(kubelets.node_of(pod) for pod in pods), f"{pods} bound")
        for pod in pods:
            kubelets.set_phase(pod, "Running")
        return [kubelets.node_of(pod) for pod in pods]

    def wait_refused(self, cloud: str, pod: str) -> str:
        """Wait until the scheduler has said why a pod fits nowhere; return what it said."""
        kubelets = self.stage.kubelets[cloud]
        wait_for(lambda: bool(kubelets.refusal_of(pod)), f"{pod} refused")
        return kubelets.refusal_of(pod)

    def figure(self, name: str, **labels: str) -> float:
        """Return what the controller's metrics say, as scraped: series with these labels, summed.

        None at all is an error, not 0.
        """
        text = self.controller.metrics.render().decode()
        samples = (each for kind in text_string_to_metric_families(text) for each in kind.samples)
        found = [
            sample.value
            for sample in samples
            if sample.name == f"tidegate_{name}" and labels.items() <= sample.labels.items()
        ]
        assert found, f"no series tidegate_{name} with {labels}"
        return sum(found)

    def reasons(self, cloud: str) -> list[str]:
        """Return why the orders on a cloud's pool were given, oldest first."""
        found = reversed(self.store.read_decisions(POOLS[cloud], 50))
        return [each.reason for each in found if each.to_nodes is not None]

    def unmet(self) -> list[str]:
        """Return what the last turns left unmet, and why, oldest first."""
        found = reversed(self.store.read_decisions("", 50))
        return [each.reason for each in found if each.action == "unmet"]

    def decisions(self, cloud: str) -> list[tuple[Any, ...]]:
        """Return the orders on a cloud's pool, oldest first: action, sizes, outcome."""
        found = reversed(self.store.read_decisions(POOLS[cloud], 50))
        orders = (each for each in found if each.to_nodes is not None)
        return [(each.action, each.from_nodes, each.to_nodes, each.outcome) for each in orders]


def command_of(stage: Stage, aws_url: str) -> tuple[list[str], dict[str, str]]:
    """Return the command of a controller that takes turns, and the environment it runs in.

    Args:
        stage: The stack, and its clusters.
        aws_url: Where it finds AWS.
    """
    choice = stage.choice()
    command = [
        *(str(Path(sys.executable).with_name("tidegate")), "controller", "run"),
        *("--interval", "1", "--listen", "", "--backend", "file:///nowhere"),
        *("--outputs", choice.outputs, "--sources", str(choice.sources)),
    ]
    environment = {
        **local_environment(stage.workspace.endpoints, os.environ),
        "AWS_ENDPOINT_URL": aws_url,
        "KUBECONFIG": str(stage.clusters["aws"].kubeconfig),
    }
    return command, environment


def wait_for(is_so: Callable[[], bool], what: str, seconds: float = BIND_SECONDS) -> None:
    """Wait for what another program does."""
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, f"not within {seconds:g} s: {what}"
        time.sleep(0.05)
