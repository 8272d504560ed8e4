"""One turn of the controller with 200 pools and 10,000 pods: time, memory, and the resize call.

The clusters are read as JSON from loopback servers by the Kubernetes client; the clouds answer
from memory, so that what is measured is the controller.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from figures import print_figure
from kubernetes import client

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.controller import FakePools, catalog, declare, declare_pool, wire

from tidegate.controller.loop import Controller
from tidegate.sources.kubernetes import Cluster
from tidegate.sources.pods import Chips
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore

CLOUDS = ("aws", "gcp", "azure")
POOLS = 200
PODS = 10_000
NODES_A_POOL = 20
RUNNING_SHARE = 0.6
REPEATS = 5


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


def build_pod(number: int, node: str) -> dict[str, Any]:
    spec = {"containers": [{"resources": {"requests": {"nvidia.com/gpu": "1", "cpu": "4"}}}]}
    return {
        "metadata": {
            "name": f"job-{number}",
            "namespace": "ml",
            "creationTimestamp": "2026-11-30T00:00:00Z",
            "labels": {"workload-class": "training"},
        },
        "spec": {**spec, **({"nodeName": node} if node else {})},
        "status": {"phase": "Running" if node else "Pending"},
    }


def build_node(name: str, pool: str) -> dict[str, Any]:
    ready = [{"type": "Ready", "status": "True"}]
    return {
        "metadata": {"name": name, "labels": {"capacity-pool": pool}},
        "spec": {"providerID": f"x:///{name}"},
        "status": {"conditions": ready, "allocatable": {"nvidia.com/gpu": "8"}},
    }


def serve(nodes: list[dict[str, Any]], pods: list[dict[str, Any]]) -> str:
    pages = {
        path: json.dumps({"items": items, "metadata": {}}).encode()
        for path, items in (("/api/v1/nodes", nodes), ("/api/v1/pods", pods))
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path.partition("?")[0])
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def main() -> None:
    names = {cloud: [f"{cloud}-{n}" for n in range(POOLS // 3 + 1)] for cloud in CLOUDS}
    kinds = {"aws": "eks-node-group", "gcp": "gke-node-pool", "azure": "aks-agent-pool"}
    pools = [
        declare_pool(name, cloud=cloud, kind=kinds[cloud], cluster="main", region=cloud,
                     max_nodes=NODES_A_POOL)
        for cloud in CLOUDS for name in names[cloud]
    ][:POOLS]  # fmt: skip
    running = int(PODS * RUNNING_SHARE)
    sizes = dict.fromkeys([pool.id for pool in pools], running // 8 // POOLS + 1)
    clouds = FakePools(sizes)
    nodes = {pool: clouds.machines[pool] for pool in sizes}
    seats = [(pool, node) for pool, found in nodes.items() for node in found for _ in range(8)]
    sources, clusters = [], {}
    pods: dict[str, list[dict[str, Any]]] = {cloud: [] for cloud in CLOUDS}
    for number in range(PODS):
        pool, node = seats[number] if number < min(running, len(seats)) else ("", "")
        cloud = pool.partition("-")[0] or CLOUDS[number % 3]
        pods[cloud].append(build_pod(number, node))
    for cloud in CLOUDS:
        mine = [pool.id for pool in pools if pool.cloud.value == cloud]
        listed = [build_node(node, pool) for pool in mine for node in nodes[pool]]
        configuration = client.Configuration()
        configuration.host = serve(listed, pods[cloud])
        chips = Chips({"nvidia.com/gpu": ("h100-80gb",)}, tuple(mine))
        sources.append(Cluster(cloud, client.ApiClient(configuration), chips))
        clusters[cloud] = tuple(mine)
    wiring = wire(declare(*pools), clouds, *sources, clusters=clusters)
    with tempfile.TemporaryDirectory() as folder:
        store = DatabaseStore(open_database(f"sqlite:///{folder}/state.db"))
        asyncio.run(measure(wiring, clouds, store))


async def measure(wiring: Any, clouds: FakePools, store: DatabaseStore) -> None:
    ticks, cpu, calls = [], [], []
    sizes, machines = dict(clouds.sizes), {p: list(m) for p, m in clouds.machines.items()}
    for _ in range(REPEATS):
        clouds.sizes, clouds.machines = dict(sizes), {p: list(m) for p, m in machines.items()}
        controller = Controller(lambda: wiring, store, SystemClock(), holder="bench")
        first: list[float] = []
        clouds.refuse = lambda _pool, first=first: first.append(time.perf_counter())
        started, used = time.perf_counter(), time.process_time()
        tick = await controller.tick()
        ticks.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
        assert tick is not None
        assert len(tick.decision.observation.demand.items) == PODS * (1 - RUNNING_SHARE)
        calls.append(first[0] - started)
        await controller.close()
    print_figure("tick, 200 pools and 10,000 pods", ticks, "s", goal=5)
    print_figure("tick, CPU time", cpu, "s")
    print_figure("from the start of a tick to its first resize call", calls, "s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print_figure("peak memory", [peak], "MB", goal=400)


if __name__ == "__main__":
    catalog()
    main()
