"""The engine's resource provider protocol over one cloud: what every type has in common."""

# ruff: noqa: ARG002 - the protocol gives every method a request and a context

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from importlib import metadata
from typing import Any, TypeVar

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from tidegate.localclouds.contracts import Call, Cloud, Values, World
from tidegate.localclouds.faults import judge
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.resources import Resource, ResourceTypes
from tidegate.localclouds.schema import SDK_MODULES, UnknownType
from tidegate.localclouds.wire import parse_struct, render_struct

LOG = logging.getLogger(__name__)
MAXIMUM_PEERS = 1000
CHANGE_KINDS = {
    "add": provider_pb2.PropertyDiff.ADD,
    "delete": provider_pb2.PropertyDiff.DELETE,
    "update": provider_pb2.PropertyDiff.UPDATE,
}
REPLACE_KINDS = {
    "add": provider_pb2.PropertyDiff.ADD_REPLACE,
    "delete": provider_pb2.PropertyDiff.DELETE_REPLACE,
    "update": provider_pb2.PropertyDiff.UPDATE_REPLACE,
}
Answer = TypeVar("Answer")
Context = grpc.aio.ServicerContext[Any, Any]


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """Serves one package. One instance serves every configured provider of that package.

    The engine opens a connection for each provider it configures, so that the peer's address
    tells whose settings hold.
    """

    def __init__(self, cloud: Cloud, world: World) -> None:
        self._cloud = cloud
        self._world = world
        self._types = ResourceTypes(cloud, world)
        self._settings: dict[str, Values] = {}
        self._secret_settings: dict[str, frozenset[str]] = {}

    async def Handshake(  # noqa: N802 - the protocol's name
        self, request: provider_pb2.ProviderHandshakeRequest, context: Context
    ) -> provider_pb2.ProviderHandshakeResponse:
        """Say what this provider understands."""
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    async def Attach(self, request: plugin_pb2.PluginAttach, context: Context) -> Empty:  # noqa: N802
        """Accept the engine that attaches to this running provider."""
        return Empty()

    async def Cancel(self, request: Empty, context: Context) -> Empty:  # noqa: N802
        """Let running calls end: each is short."""
        return Empty()

    async def GetPluginInfo(self, request: Empty, context: Context) -> plugin_pb2.PluginInfo:  # noqa: N802
        """Give the version of the SDK whose types are served."""
        return plugin_pb2.PluginInfo(version=metadata.version(SDK_MODULES[self._cloud.package]))

    async def CheckConfig(  # noqa: N802
        self, request: provider_pb2.CheckRequest, context: Context
    ) -> provider_pb2.CheckResponse:
        """Take a provider configuration, unless the cloud says that it refuses it."""
        check = self._cloud.check_settings
        failures = [] if check is None else [*check(_parse_settings(request.news))]
        return provider_pb2.CheckResponse(
            inputs=request.news,
            failures=[
                provider_pb2.CheckFailure(property=failure.property, reason=failure.reason)
                for failure in failures
            ],
        )

    async def DiffConfig(  # noqa: N802
        self, request: provider_pb2.DiffRequest, context: Context
    ) -> provider_pb2.DiffResponse:
        """Replace a provider, and so its resources, only where the cloud says so."""
        old, new = (
            request.old_inputs if request.HasField("old_inputs") else request.olds,
            request.news,
        )
        replaced = self._cloud.replace_settings
        replaces = [] if replaced is None else replaced(_parse_settings(old), _parse_settings(new))
        kinds = provider_pb2.DiffResponse
        return kinds(
            changes=kinds.DIFF_SOME if old != new else kinds.DIFF_NONE, replaces=sorted(replaces)
        )

    async def Configure(  # noqa: N802
        self, request: provider_pb2.ConfigureRequest, context: Context
    ) -> provider_pb2.ConfigureResponse:
        """Keep the settings of the provider behind this connection."""
        if len(self._settings) >= MAXIMUM_PEERS:
            self._secret_settings.pop(next(iter(self._settings)), None)
            self._settings.pop(next(iter(self._settings)))
        self._settings[context.peer()] = _parse_settings(request.args)
        secrets = parse_struct(request.args).secrets
        self._secret_settings[context.peer()] = frozenset(str(path[0]) for path in secrets)
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    async def Check(  # noqa: N802
        self, request: provider_pb2.CheckRequest, context: Context
    ) -> provider_pb2.CheckResponse:
        """Fill defaults and names in, and say what the cloud would refuse."""
        resource = await self._find(request, context)
        olds, news = parse_struct(request.olds), parse_struct(request.news)
        inputs, failures = resource.check(olds.values, news.values, request.randomSeed)
        return provider_pb2.CheckResponse(
            inputs=render_struct(inputs, resource.spread(news.secrets)),
            failures=[
                provider_pb2.CheckFailure(property=failure.property, reason=failure.reason)
                for failure in failures
            ],
        )

    async def Diff(  # noqa: N802
        self, request: provider_pb2.DiffRequest, context: Context
    ) -> provider_pb2.DiffResponse:
        """Say what changed and what of it replaces the resource."""
        resource = await self._find(request, context)
        olds = request.old_inputs if request.HasField("old_inputs") else request.olds
        old, new = parse_struct(olds).values, parse_struct(request.news).values
        difference = await self._run(context, lambda: resource.diff(request.id, old, new))
        kinds = provider_pb2.DiffResponse
        return kinds(
            changes=kinds.DIFF_SOME if difference.changes else kinds.DIFF_NONE,
            diffs=sorted({change.top for change in difference.changes}),
            replaces=sorted(difference.replaces),
            deleteBeforeReplace=difference.delete_first,
            hasDetailedDiff=True,
            detailedDiff={
                change.place: provider_pb2.PropertyDiff(
                    kind=(REPLACE_KINDS if change.top in difference.replaces else CHANGE_KINDS)[
                        change.kind
                    ],
                    inputDiff=True,
                )
                for change in difference.changes
            },
        )

    async def Create(  # noqa: N802
        self, request: provider_pb2.CreateRequest, context: Context
    ) -> provider_pb2.CreateResponse:
        """Create it, or in a preview say what is known before."""
        resource = await self._find(request, context)
        properties = parse_struct(request.properties)
        if request.preview:
            planned = resource.plan(properties.values, {})
            return provider_pb2.CreateResponse(
                properties=render_struct(planned, resource.spread(properties.secrets))
            )
        await self._fail_on_command(resource.call, context)
        key, outputs = await self._run(context, lambda: resource.create(properties))
        return provider_pb2.CreateResponse(id=key, properties=render_struct(*outputs))

    async def Read(  # noqa: N802
        self, request: provider_pb2.ReadRequest, context: Context
    ) -> provider_pb2.ReadResponse:
        """Give what is live; an empty id when it is gone."""
        resource = await self._find(request, context)
        asked = parse_struct(request.inputs)
        found = await self._run(context, lambda: resource.read(request.id, asked))
        if found is None:
            return provider_pb2.ReadResponse()
        inputs, outputs = found
        return provider_pb2.ReadResponse(
            id=request.id, properties=render_struct(*outputs), inputs=render_struct(*inputs)
        )

    async def Update(  # noqa: N802
        self, request: provider_pb2.UpdateRequest, context: Context
    ) -> provider_pb2.UpdateResponse:
        """Change it in place, or in a preview say what is known before."""
        resource = await self._find(request, context)
        news, olds = parse_struct(request.news), parse_struct(request.olds)
        if request.preview:
            planned = resource.plan(news.values, olds.values)
            marked = render_struct(planned, resource.spread(news.secrets))
            return provider_pb2.UpdateResponse(properties=marked)
        await self._fail_on_command(resource.call, context)
        old = parse_struct(request.old_inputs if request.HasField("old_inputs") else request.olds)
        outputs = await self._run(context, lambda: resource.update(request.id, old.values, news))
        return provider_pb2.UpdateResponse(properties=render_struct(*outputs))

    async def Delete(self, request: provider_pb2.DeleteRequest, context: Context) -> Empty:  # noqa: N802
        """Delete it; what is gone already is deleted."""
        resource = await self._find(request, context)
        await self._fail_on_command(resource.call, context)
        await self._run(context, lambda: resource.delete(request.id))
        return Empty()

    async def Invoke(  # noqa: N802
        self, request: provider_pb2.InvokeRequest, context: Context
    ) -> provider_pb2.InvokeResponse:
        """Answer one of the look-ups that this local cloud knows."""
        function = self._cloud.invokes.get(request.tok)
        if function is None:
            known = ", ".join(sorted(self._cloud.invokes)) or "none"
            message = f"the local clouds do not answer {request.tok}; answered are: {known}"
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, message)
            raise AssertionError(message)
        arguments, settings = parse_struct(request.args).values, self._settings_of(context)
        result = await self._run(context, lambda: function(arguments, settings))
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(render_struct(result))  # a Python keyword
        return response

    def _settings_of(self, context: Context) -> Values:
        return self._settings.get(context.peer(), {})

    async def _find(self, request: Any, context: Context) -> Resource:
        call = Call(
            cloud=self._cloud.package,
            type_token=request.type or request.urn.split("::")[2].split("$")[-1],
            urn=request.urn,
            name=request.name or request.urn.split("::")[-1],
            settings=self._settings_of(context),
            world=self._world,
            secret_settings=self._secret_settings.get(context.peer(), frozenset()),
        )
        return await self._run(context, lambda: self._types.find(call))

    async def _fail_on_command(self, call: Call, context: Context) -> None:
        faults = self._world.faults.take(call.cloud, call.type_token)
        wait, error = judge(faults, call.cloud)
        if wait:
            await asyncio.sleep(wait)
        if error is not None:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))

    async def _run(self, context: Context, work: Callable[[], Answer]) -> Answer:
        """Do the work in the event loop (each is short); turn refusals into the protocol's."""
        code, words = grpc.StatusCode.INTERNAL, ""
        try:
            return work()
        except CloudError as error:
            code, words = grpc.StatusCode.FAILED_PRECONDITION, str(error)
        except UnknownType as error:
            code, words = grpc.StatusCode.NOT_FOUND, str(error)
        except Exception as error:  # the boundary: a fault of ours must reach the engine as words
            LOG.exception("local clouds: unexpected")
            words = f"fault in the local clouds: {type(error).__name__}: {error}"
        await context.abort(code, words)
        raise AssertionError(words)


def _parse_settings(struct: Struct) -> Values:
    return {key: _parse_json(part) for key, part in parse_struct(struct).values.items()}


def _parse_json(value: Any) -> Any:
    """Return the value of a setting; the engine sends objects as JSON text."""
    if not isinstance(value, str) or not value.startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
