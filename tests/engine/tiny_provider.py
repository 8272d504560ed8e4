"""A cloud small enough to see through: one resource type, one JSON file a resource.

Started as `python tiny_provider.py STORE`; prints its port. Every creation also appends a line to
`STORE/created.log`, so that a test sees what was made twice. `STORE/delay` holds the seconds that
a creation takes after the thing exists: the window in which a killed engine knows nothing of it.
"""

# ruff: noqa: N802 - the methods carry the names of the protocol
from __future__ import annotations

import json
import os
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc


class TinyCloud(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, store: Path) -> None:
        self._store = store

    def GetPluginInfo(self, request, context):
        return plugin_pb2.PluginInfo(version="1.0.0")

    def Attach(self, request, context):
        return empty_pb2.Empty()

    def CheckConfig(self, request, context):
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request, context):
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request, context):
        return provider_pb2.ConfigureResponse(acceptSecrets=False, supportsPreview=True)

    def Check(self, request, context):
        news = json_format.MessageToDict(request.news)
        if news.get("size", 0) > 100:
            failure = provider_pb2.CheckFailure(property="size", reason="at most 100")
            return provider_pb2.CheckResponse(inputs=request.news, failures=[failure])
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request, context):
        old = json_format.MessageToDict(request.olds)
        new = json_format.MessageToDict(request.news)
        changed = [key for key in new if old.get(key) != new[key]]
        kinds = provider_pb2.DiffResponse
        return kinds(changes=kinds.DIFF_SOME if changed else kinds.DIFF_NONE, diffs=changed)

    def Create(self, request, context):
        if request.preview:
            return provider_pb2.CreateResponse(id="", properties=request.properties)
        properties = json_format.MessageToDict(request.properties)
        delay = self._store / "delay"
        seconds = float(delay.read_text()) if delay.exists() else 0
        if properties.get("fail"):
            time.sleep(seconds)
            context.abort(grpc.StatusCode.UNKNOWN, "ZONE_STOCK_OUT: nothing left to sell")
        identity = (
            f"thing-{uuid.uuid4().hex[:8]}" if properties.get("random") else properties["name"]
        )
        with (self._store / "created.log").open("a") as log:
            log.write(f"{request.urn} {identity}\n")
        self._write(identity, properties)
        time.sleep(seconds)
        return provider_pb2.CreateResponse(id=identity, properties=request.properties)

    def Read(self, request, context):
        path = self._path(request.id)
        if not path.exists():
            return provider_pb2.ReadResponse(id="")
        known = _struct(json.loads(path.read_text()))
        return provider_pb2.ReadResponse(id=request.id, properties=known, inputs=known)

    def Update(self, request, context):
        if not request.preview:
            self._write(request.id, json_format.MessageToDict(request.news))
        return provider_pb2.UpdateResponse(properties=request.news)

    def Delete(self, request, context):
        self._path(request.id).unlink(missing_ok=True)
        return empty_pb2.Empty()

    def Cancel(self, request, context):
        return empty_pb2.Empty()

    def _path(self, identity: str) -> Path:
        return self._store / f"{identity}.json"

    def _write(self, identity: str, properties: dict) -> None:
        staged = self._store / f".{identity}.new"
        staged.write_text(json.dumps(properties))
        staged.replace(self._path(identity))


def _struct(values: dict) -> struct_pb2.Struct:
    message = struct_pb2.Struct()
    message.update(values)
    return message


def main() -> None:
    store = Path(sys.argv[1])
    store.mkdir(parents=True, exist_ok=True)
    server = grpc.server(ThreadPoolExecutor(32))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(TinyCloud(store), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)  # noqa: T201 - the protocol of plugins
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


if __name__ == "__main__":
    main()
