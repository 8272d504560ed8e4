"""A pool of two half-busy nodes behind an API server's stand-in, for the tests of emptying."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from support.controller import NOW, FakeClock, FakePools, declare, declare_pool, wire
from support.kube_server import KubeServer

from tidegate.cli.controller_sources import WiredSources
from tidegate.controller.loop import Controller, LoopSettings
from tidegate.scaling.settings import ScalingSettings
from tidegate.sources.kubernetes import Cluster
from tidegate.sources.pods import Chips
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeReport
from tidegate.vocabulary.reports import SourceFault

CHIPS = Chips({"nvidia.com/gpu": ("h100-80gb",)}, ("train",))
SAVED = "tidegate.dev/checkpoint-at"
ASKED = "tidegate.dev/checkpoint-requested"


class World:
    """Two nodes of one pool, each busy (half, unless stated) with work that saves itself."""

    def __init__(self, store, *, gpus=4):
        self.store = store
        self.gpus = gpus
        self.clock = FakeClock()
        self.kube = KubeServer()
        self.pools = FakePools({"train": 2})
        self.api = self.kube.api()
        self.cluster = Cluster("k8s", self.api, CHIPS)
        self.pool = declare_pool(cluster="main")
        self.others: list[Any] = []
        self.notices: list[FakeNotices] = []
        for name in ("train-0", "train-1"):
            self.kube.add_node(name)
        self.run("left", "train-0")
        self.run("right", "train-1")

    def run(self, name, node="", saved_ago=60):
        self.kube.add_pod(name, node, gpus=self.gpus)
        self.save(name, saved_ago)

    def save(self, name, ago=0):
        at = (self.clock.now() - timedelta(seconds=ago)).isoformat()
        self.kube.pods[f"ml/{name}"]["metadata"].setdefault("annotations", {})[SAVED] = at

    def wiring(self):
        wired = WiredSources([self.cluster], {"k8s": ("train",)}, {"train": self.cluster})
        return wire(
            declare(self.pool, *self.others), self.pools, self.cluster,
            cordons=wired, clusters=wired.clusters, notices=self.notices,
        )  # fmt: skip

    def build(self, *, scaling=None, wiring=None, store=None, holder="one"):
        """Return a controller of this world."""
        settings = LoopSettings(scaling=scaling or ScalingSettings(node_cooldown_seconds=0))
        return Controller(
            lambda: wiring or self.wiring(), store or self.store, self.clock, settings,
            holder=holder,
        )  # fmt: skip

    def plan(self):
        """Look and decide; change nothing."""
        return self._call(self.build(), "plan")

    def turn(self, seconds=15, **options):
        """Take a turn with a controller of its own, and let time pass."""
        try:
            return self._call(self.build(**options), "tick")
        finally:
            self.clock.advance(seconds)
            self.kube_lives()

    def _call(self, controller, verb):
        async def go():
            try:
                return await getattr(controller, verb)()
            finally:
                controller._executor.shutdown(wait=True, cancel_futures=True)

        return asyncio.run(go())

    def kube_lives(self):
        """Make what was evicted anew, and start it where there is room; drop nodes that went."""
        there = {key.partition("/")[2].partition("-")[0] for key in self.kube.pods}
        for name in {"left", "right"} - there:
            self.run(name)
        for name in list(self.kube.nodes):
            if name not in self.pools.machines["train"]:
                del self.kube.nodes[name]
        for name in self.pools.machines["train"]:
            if name not in self.kube.nodes:
                self.kube.add_node(name)
        for pod in self.kube.pods.values():
            open_nodes = [
                name
                for name, body in self.kube.nodes.items()
                if not body["spec"].get("unschedulable") and self.room(name) >= self.gpus
            ]
            if not pod["spec"].get("nodeName") and open_nodes:
                pod["spec"]["nodeName"] = open_nodes[0]
                pod["status"]["phase"] = "Running"

    def room(self, node):
        bound = [p for p in self.kube.pods.values() if p["spec"].get("nodeName") == node]
        return 8 - self.gpus * len(bound)

    def closed(self):
        return [n for n, body in self.kube.nodes.items() if body["spec"].get("unschedulable")]

    def told(self, *actions):
        return [
            (each.action, each.outcome)
            for each in reversed(self.store.read_decisions("train", 99))
            if each.action in actions
        ]

    def close(self):
        self.api.close()
        self.kube.close()


SPOT = {"cluster": "main", "capacity_type": "spot"}


def warn(machine="train-0", kind=NoticeKind.INTERRUPTION, id="e-1", ago=5, seconds=120):
    at = NOW - timedelta(seconds=ago)
    return Notice(id, "aws", machine, kind, at, at + timedelta(seconds=seconds), "is taken")


class FakeNotices:
    """A queue of notices; what is settled does not come again."""

    def __init__(self, *notices: Notice, refused: Sequence[str] = ()) -> None:
        self.name = "spot/interruptions"
        self.waiting = list(notices)
        self.refused = tuple(refused)
        self.fault = ""
        self.settled: list[str] = []
        self.asked = 0

    def fetch(self) -> NoticeReport:
        self.asked += 1
        if self.fault:
            raise SourceFault(self.fault)
        receipts = tuple(notice.id for notice in self.waiting)
        return NoticeReport(tuple(self.waiting), self.refused, receipts)

    def settle(self, receipts: Sequence[str]) -> None:
        self.settled += receipts
        self.waiting = [notice for notice in self.waiting if notice.id not in receipts]


class DrilledWorld(World):
    """What was evicted comes back under another name, from its last checkpoint."""

    says = True

    def __init__(self, store, **options):
        super().__init__(store, **options)
        for name in ("left", "right"):
            self.own(name, name)

    def own(self, pod, owner):
        owners = [{"kind": "Job", "name": owner, "controller": True}]
        self.kube.pods[f"ml/{pod}"]["metadata"]["ownerReferences"] = owners

    def live(self):
        names = {key.partition("/")[2].partition("-")[0] for key in self.kube.pods}
        for name in {"left", "right"} - names:
            self.run(f"{name}-again")
            self.own(f"{name}-again", name)
            if self.says:
                notes = self.kube.pods[f"ml/{name}-again"]["metadata"]["annotations"]
                notes["tidegate.dev/resumed-from"] = notes["tidegate.dev/checkpoint-at"]
        super().kube_lives()
        for body in self.kube.pods.values():
            bound = "True" if body["spec"].get("nodeName") else "False"
            body["status"]["conditions"] = [{"type": "Ready", "status": bound}]
