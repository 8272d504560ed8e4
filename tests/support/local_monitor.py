"""Runs a program in this process; a local cloud makes what it registers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pulumi
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import mocks
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.stack import run_pulumi_func

from tidegate.localclouds.rest_shape import plain

Made = dict[str, list[Any]]


class NoCalls(mocks.Mocks):
    """No look-up is answered."""

    def call(self, args: mocks.MockCallArgs) -> Any:
        raise AssertionError(f"a component called {args.token}")

    def new_resource(self, args: mocks.MockResourceArgs) -> Any:
        raise AssertionError("registrations are answered by the monitor")


class LocalMonitor(mocks.MockMonitor):
    """Answers registrations of one package with what its local cloud made; others as asked."""

    def __init__(self, engine: Any, package: str) -> None:
        super().__init__(NoCalls())
        self._engine = engine
        self._package = package
        self.made: Made = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        urn = f"urn:pulumi:test::tidegate::{request.type}::{request.name}"
        inputs = plain(json_format.MessageToDict(request.object))
        state = struct_pb2.Struct()
        if not request.type.startswith(f"{self._package}:"):
            state.update(inputs)
            return resource_pb2.RegisterResourceResponse(urn=urn, object=state)
        made = self._engine.up(request.type, inputs, request.name)
        self.made.setdefault(request.type, []).append((request.name, made))
        state.update(made.outputs)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=made.id, object=state)


@contextmanager
def open_program(engine: Any, package: str) -> Iterator[Callable[[Callable[[], Any]], Made]]:
    """Yield what runs a program and returns what was made, by type; none of it may drift."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def run(program: Callable[[], Any]) -> Made:
        monitor = LocalMonitor(engine, package)
        pulumi.runtime.set_mocks(
            NoCalls(), project="tidegate", stack="test", preview=False, monitor=monitor
        )
        loop.run_until_complete(run_pulumi_func(program))
        for token, resources in monitor.made.items():
            for name, made in resources:
                assert engine.refresh(token, made, name) == made.inputs
        return monitor.made

    yield run
    loop.close()
    asyncio.set_event_loop(None)
