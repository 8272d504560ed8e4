"""The server process: Pulumi's provider protocol for four packages, and the clouds' own APIs.

    python -m tidegate.localclouds.server --state-dir DIR

Everything listens on loopback, on ports that the system chooses and endpoints.json tells. The
process drops every cloud credential from its environment before it loads any cloud SDK.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from tidegate.localclouds.endpoints import (
    FILE,
    Endpoints,
    compute_fingerprint,
    hold_lock,
    write_endpoints,
)
from tidegate.localclouds.environment import drop_credentials, fake_credentials

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from werkzeug.serving import BaseWSGIServer

    from tidegate.localclouds.contracts import Cloud, World

LOG = logging.getLogger("tidegate.localclouds")
LOOPBACK = "127.0.0.1"
EXIT_LOCKED = 3
MAXIMUM_MESSAGE = 400 * 1024 * 1024  # what the engine itself accepts
GRACE_SECONDS = 0.2
GC_THRESHOLD = 20_000  # requests make many short-lived objects


def scrub_environment() -> None:
    """Drop every real cloud credential from this process and set fakes."""
    kept = {**drop_credentials(os.environ), **fake_credentials()}
    os.environ.clear()
    os.environ.update(kept)


def build_world(state_dir: Path) -> World:
    """Open the store and what lives in it."""
    from tidegate.localclouds.contracts import World
    from tidegate.localclouds.faults import Faults
    from tidegate.localclouds.store import Store
    from tidegate.localclouds.unanswered import Unanswered

    store = Store(state_dir / "store.sqlite")
    return World(state_dir, store, Faults(store), Unanswered(store))


def build_clouds(world: World) -> list[Cloud]:
    """Build the clouds and their Kubernetes over one world; they import SDKs, hence late."""
    from tidegate.localclouds.aws.cloud import build_aws_cloud
    from tidegate.localclouds.azure.cloud import build_azure_cloud
    from tidegate.localclouds.gcp.cloud import build_gcp_cloud
    from tidegate.localclouds.kubernetes.cloud import build_kubernetes_cloud

    return [
        build_aws_cloud(world),
        build_gcp_cloud(world),
        build_azure_cloud(world),
        build_kubernetes_cloud(world),
    ]


@dataclass(frozen=True, slots=True)
class Face:
    """A WSGI application that answers on a port of its own."""

    server: BaseWSGIServer
    url: str

    def close(self) -> None:
        """Stop answering."""
        self.server.shutdown()
        self.server.server_close()


def open_face(application: WSGIApplication) -> Face:
    """Serve an application on a free loopback port, with a thread for each connection."""
    from werkzeug.serving import make_server

    from tidegate.localclouds.requests import QuietRequests

    server = make_server(LOOPBACK, 0, application, threaded=True, request_handler=QuietRequests)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return Face(server, f"http://{LOOPBACK}:{server.server_port}")


async def open_provider(cloud: Cloud, world: World) -> tuple[grpc.aio.Server, int]:
    """Serve one package's provider on a free loopback port."""
    from pulumi.runtime.proto import provider_pb2_grpc

    from tidegate.localclouds.provider import Provider

    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", MAXIMUM_MESSAGE),
            ("grpc.max_send_message_length", MAXIMUM_MESSAGE),
        ]
    )
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(cloud, world), server)
    port = server.add_insecure_port(f"{LOOPBACK}:0")
    await server.start()
    return server, port


class Warming:
    """Loads in a thread what would make the first calls slow: SDK types, clients, backends."""

    def __init__(self, clouds: Sequence[Cloud]) -> None:
        self._clouds = clouds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._load()
        # What is loaded stays: the collector need not look through 400 MB again and again.
        gc.collect()
        gc.freeze()

    def _load(self) -> None:
        for cloud in self._clouds:
            steps: list[Callable[[], object]] = [*cloud.warm]
            steps += [partial(cloud.find_schema, token) for token in cloud.behaviours]
            for step in steps:
                if self._stopped.is_set():
                    return
                try:
                    step()
                except Exception:
                    LOG.exception("warming %s", cloud.package)

    def stop(self) -> None:
        """Stop after the step that runs."""
        self._stopped.set()
        self._thread.join()


async def serve(state_dir: Path) -> None:
    """Serve until SIGTERM or SIGINT."""
    from tidegate.localclouds.control import Control

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, stopped.set)
    world = build_world(state_dir)
    clouds = build_clouds(world)
    faces = [open_face(application) for application in (*(cloud.face for cloud in clouds),)]
    faces.append(open_face(Control(world, clouds)))
    providers = [await open_provider(cloud, world) for cloud in clouds]
    ports = [port for _, port in providers]
    write_endpoints(state_dir, _describe(state_dir, clouds, ports, [face.url for face in faces]))
    LOG.info("ready")
    gc.set_threshold(GC_THRESHOLD)
    warming = Warming(clouds)
    await stopped.wait()
    LOG.info("stopping")
    await asyncio.to_thread(warming.stop)
    (state_dir / FILE).unlink(missing_ok=True)
    await asyncio.gather(*(server.stop(GRACE_SECONDS) for server, _ in providers))
    await asyncio.gather(*(asyncio.to_thread(face.close) for face in faces))
    for cloud in clouds:
        if cloud.close is not None:
            cloud.close()
    world.store.close()
    LOG.info("stopped")


def _describe(
    state_dir: Path, clouds: Sequence[Cloud], ports: Sequence[int], urls: Sequence[str]
) -> Endpoints:
    aws_url, gcp_url, azure_url, kubernetes_url, control_url = urls
    return Endpoints(
        pid=os.getpid(),
        provider_ports={cloud.package: port for cloud, port in zip(clouds, ports, strict=True)},
        aws_url=aws_url,
        gcp_url=gcp_url,
        azure_url=azure_url,
        kubernetes_url=kubernetes_url,
        control_url=control_url,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        state_dir=str(state_dir.resolve()),
        fingerprint=compute_fingerprint(),
    )


def run() -> int:
    """Run the server; return the process's exit code."""
    parser = argparse.ArgumentParser(prog="tidegate.localclouds.server", description=__doc__)
    parser.add_argument("--state-dir", type=Path, required=True)
    state_dir: Path = parser.parse_args().state_dir
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    scrub_environment()
    with hold_lock(state_dir) as is_ours:
        if not is_ours:
            LOG.error("another server holds %s", state_dir)
            return EXIT_LOCKED
        try:
            asyncio.run(serve(state_dir))
        except ModuleNotFoundError as error:
            if str(error.name).startswith("tidegate"):
                raise
            LOG.error("they need %s: install tidegate[local]", error.name)  # noqa: TRY400
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(run())
