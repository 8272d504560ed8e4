"""A Pulumi provider that does nothing: the floor under `benchmarks/local_clouds.py`.

It serves any package on one port, checks nothing, answers each create with the inputs as
outputs, and keeps nothing. `python noop_provider.py` prints its port and runs until SIGTERM.
"""

# ruff: noqa: ARG002, D102, N802 - the protocol gives the names and the arguments

from __future__ import annotations

import asyncio
import signal
import uuid

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc


class NoopProvider(provider_pb2_grpc.ResourceProviderServicer):
    """The least that the engine needs to create and delete a resource."""

    async def Handshake(self, request, context):
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    async def Attach(self, request, context):
        return Empty()

    async def Cancel(self, request, context):
        return Empty()

    async def GetPluginInfo(self, request, context):
        return plugin_pb2.PluginInfo(version="0.0.1")

    async def CheckConfig(self, request, context):
        return provider_pb2.CheckResponse(inputs=request.news)

    async def DiffConfig(self, request, context):
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    async def Configure(self, request, context):
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    async def Check(self, request, context):
        return provider_pb2.CheckResponse(inputs=request.news)

    async def Diff(self, request, context):
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    async def Create(self, request, context):
        return provider_pb2.CreateResponse(id=uuid.uuid4().hex, properties=request.properties)

    async def Delete(self, request, context):
        return Empty()


async def main() -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    server = grpc.aio.server()
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(NoopProvider(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await stopped.wait()
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(main())
