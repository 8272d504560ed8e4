"""One turn of the controller with 200 pools and 10,000 pods: time, memory, and the resize call.

The clusters are read as JSON from loopback servers by the Kubernetes client; the pools stand on the
local clouds, and are read and resized by the clouds' own SDKs. The first turn loads those.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import resource
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import structlog
from controller_clouds import CLOUDS, KINDS, REGIONS, bind, name_pools, run_pools
from figures import print_figure
from kubernetes import client
from local_clouds import read_ticks

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.controller import catalog, declare, declare_pool, wire

from tidegate.cli.controller_building import COLLECTOR, SystemClock
from tidegate.clouds.bound_pools import BoundPools
from tidegate.controller.loop import Controller
from tidegate.sources.kubernetes import Cluster
from tidegate.sources.pods import Chips
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore

POOLS = 200
PODS = 10_000
NODES_A_POOL = 20
RUNNING_SHARE = 0.6
REPEATS = 5
MACHINES = {"aws": "m5.4xlarge", "gcp": "n2-standard-16", "azure": "Standard_D16s_v5"}


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


class TimedPools:
    """Passes calls on, and notes when the first change was asked for."""

    def __init__(self, pools: BoundPools) -> None:
        self._pools = pools
        self.first: datetime | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pools, name)

    def apply_size(self, pool: str, seen: int, wanted: int) -> None:
        """Note the time of the first change, and make it."""
        self.first = self.first or datetime.now(UTC)
        self._pools.apply_size(pool, seen, wanted)


def main() -> None:
    gc.set_threshold(*COLLECTOR)  # as every command of the controller does
    names = name_pools(POOLS)
    pools = [
        declare_pool(
            name, cloud=cloud, kind=KINDS[cloud], cluster="main", region=REGIONS[cloud],
            instance_types=[MACHINES[cloud]], max_nodes=NODES_A_POOL,
        )
        for cloud in CLOUDS for name in names[cloud]
    ]  # fmt: skip
    size = int(PODS * RUNNING_SHARE) // 8 // POOLS + 1
    sources, clusters = serve_clusters(names, size)
    with run_pools(names, size, NODES_A_POOL) as endpoints, tempfile.TemporaryDirectory() as folder:
        clouds = TimedPools(bind(pools, endpoints))
        wiring = wire(declare(*pools), clouds, *sources, clusters=clusters)
        store = DatabaseStore(open_database(f"sqlite:///{folder}/state.db"))
        asyncio.run(measure(wiring, clouds, store, endpoints.pid))


def serve_clusters(
    names: dict[str, list[str]], size: int
) -> tuple[list[Cluster], dict[str, tuple[str, ...]]]:
    """Return a cluster for each cloud, with the nodes of its pools and its share of the pods."""
    nodes = {pool: [f"{pool}-{n}" for n in range(size)] for each in names.values() for pool in each}
    running = int(PODS * RUNNING_SHARE)
    seats = [node for found in nodes.values() for node in found for _ in range(8)][:running]
    of_cloud = {pool: cloud for cloud, found in names.items() for pool in found}
    pods: dict[str, list[dict[str, Any]]] = {cloud: [] for cloud in CLOUDS}
    for number in range(PODS):
        node = seats[number] if number < len(seats) else ""
        cloud = of_cloud[node.rpartition("-")[0]] if node else CLOUDS[number % 3]
        pods[cloud].append(build_pod(number, node))
    sources, clusters = [], {}
    for cloud, mine in names.items():
        configuration = client.Configuration()
        listed = [build_node(node, pool) for pool in mine for node in nodes[pool]]
        configuration.host = serve(listed, pods[cloud])
        chips = Chips({"nvidia.com/gpu": ("h100-80gb",)}, tuple(mine))
        sources.append(Cluster(cloud, client.ApiClient(configuration), chips))
        clusters[cloud] = tuple(mine)
    return sources, clusters


async def measure(wiring: Any, clouds: TimedPools, store: DatabaseStore, pid: int) -> None:
    ticks, cpu, calls, served = [], [], [], []
    controller = Controller(lambda: wiring, store, SystemClock(), holder="bench")
    for _ in range(REPEATS):
        clouds.first = None
        started, used, before = time.perf_counter(), time.process_time(), read_ticks(pid)
        tick = await controller.tick()
        ticks.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
        served.append((read_ticks(pid) - before) / 100)
        assert tick is not None
        assert tick.decision.observation.unread == {}
        assert len(tick.decision.observation.demand.items) == PODS * (1 - RUNNING_SHARE)
        assert clouds.first is not None
        calls.append((clouds.first - tick.decision.observation.at).total_seconds())
        refused = [done.detail for done in tick.done if done.kind is not None]
        assert not refused, refused
        for order in tick.orders:  # the next turn begins where this one did
            clouds.apply_size(order.pool, order.wanted, order.seen)
    await controller.close()
    print_figure("controller.first_tick: 200 pools, 10,000 pods, SDKs loaded", ticks[:1], "s")
    print_figure("controller.tick: 200 pools, 10,000 pods", ticks[1:], "s", goal=5)
    print_figure("controller.tick, CPU time", cpu[1:], "s")
    print_figure("controller.tick, CPU time of the local clouds", served[1:], "s")
    print_figure("controller.resize: from the observation to the first call", calls, "s", goal=2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print_figure("controller.peak_memory", [peak], "MB", goal=400)


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    catalog()
    main()
