"""The resource monitor that a program talks to: it keeps each registration as a state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime import _callbacks, mocks, rpc
from pulumi.runtime.proto import provider_pb2, resource_pb2

# Older SDKs use the message of the provider's protocol, which has no `unknown`.
InvokeAnswer: Any = getattr(resource_pb2, "ResourceInvokeResponse", provider_pb2.InvokeResponse)

_HERE = f"{Path(__file__).parent}/"
STACK = "pulumi:pulumi:Stack"
_REFERENCE = "pulumi:pulumi:StackReference"


class CollectingMonitor(mocks.MockMonitor):
    """Answers as a preview of an empty stack does: what a provider computes is not known.

    The stock monitor hides options and secrets, and gives nested children wrong URNs; here the
    raw request is kept.
    """

    def __init__(
        self, project: str, stack: str, root: str, fixtures: Mapping[str, Mapping[str, Any]]
    ) -> None:
        super().__init__(_NoMocks())
        self._project = project
        self._stack = stack
        self._root = root
        self._fixtures = fixtures
        self._transforms: dict[str, list[Any]] = {}
        self._everywhere: list[Any] = []
        self._parents: dict[str, str] = {}
        self.states: list[dict[str, Any]] = []

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """Return the URN that the engine would give; the stack itself qualifies nobody."""
        kinds = parent.split("::")[2] if parent else ""
        qualified = type_ if kinds in ("", STACK) else f"{kinds}${type_}"
        return f"urn:pulumi:{self._stack}::{self._project}::{qualified}::{name}"

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        """Keep what is registered, after its transforms; answer with its own inputs."""
        urn = self.make_urn(request.parent, request.type, request.name)
        self._parents[urn] = request.parent
        self._transforms[urn] = list(request.transforms)
        self._transform(request, urn)
        self.states.append({**_state(request, urn, self._root), **_options(request)})
        return resource_pb2.RegisterResourceResponse(urn=urn, id="", object=request.object)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        """Keep what the stack exports: its capacity manifest is among it."""
        for state in self.states:
            if state["urn"] == request.urn and state["type"] == STACK:
                state["outputs"] = json_format.MessageToDict(request.outputs)
        return empty_pb2.Empty()

    def ReadResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        """Keep what is read as somebody else's; another stack's outputs come from fixtures."""
        urn = self.make_urn(request.parent, request.type, request.name)
        self.states.append({**_state(request, urn, self._root), "id": request.id, "external": True})
        answer = struct_pb2.Struct()
        answer.CopyFrom(request.properties)
        if request.type == _REFERENCE:
            outputs = self._fixtures["stacks"].get(request.id)
            known = rpc.UNKNOWN if outputs is None else outputs
            answer.update({"name": request.id, "outputs": known, "secretOutputNames": []})
        return resource_pb2.ReadResourceResponse(urn=urn, properties=answer)

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        """Answer a provider's function from fixtures; otherwise nobody knows yet."""
        found = self._fixtures["functions"].get(request.tok)
        if found is None:
            return InvokeAnswer(unknown=True)
        response = InvokeAnswer()
        getattr(response, "return").update(found)
        return response

    def RegisterStackTransform(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        """Remember a transform that holds for every resource from now on."""
        self._everywhere.append(request)
        return empty_pb2.Empty()

    def _transform(self, request: Any, urn: str) -> None:
        """Change a request as its own, its ancestors' and the stack's transforms say, in order."""
        if request.type == STACK:
            return
        callbacks: list[Any] = []
        ancestor = urn
        while ancestor:
            callbacks += self._transforms.get(ancestor, ())
            ancestor = self._parents.get(ancestor, "")
        for callback in (*callbacks, *self._everywhere):
            answer = _run_transform(callback.token, request)
            request.object.CopyFrom(answer.properties)
            if answer.HasField("options"):
                _take_options(request, answer.options)


def _run_transform(token: str, request: Any) -> Any:
    """Run a transform in the program's own loop; registrations come from threads beside it."""
    options = resource_pb2.TransformResourceOptions(
        protect=request.protect if request.HasField("protect") else None,
        ignore_changes=request.ignoreChanges,
        depends_on=request.dependencies,
        provider=request.provider,
        version=request.version,
    )
    asked = resource_pb2.TransformRequest(
        type=request.type,
        name=request.name,
        custom=request.custom,
        parent=request.parent,
        properties=request.object,
        options=options,
    )
    for servicer in _callbacks._CallbackServicer._servicers:  # noqa: SLF001 - no other way to it
        callback = servicer._callbacks.get(token)  # noqa: SLF001
        if callback is not None:
            coroutine: Any = callback(asked.SerializeToString())
            return asyncio.run_coroutine_threadsafe(coroutine, servicer._loop).result()  # noqa: SLF001
    raise RuntimeError("a transform was registered that the SDK does not know")


def _take_options(request: Any, options: Any) -> None:
    if options.HasField("protect"):
        request.protect = options.protect
    del request.ignoreChanges[:]
    request.ignoreChanges.extend(options.ignore_changes)
    if options.provider:
        request.provider = options.provider


def _state(request: Any, urn: str, root: str) -> dict[str, Any]:
    """Return a registration in the form of a stack export's."""
    given = request.object if hasattr(request, "object") else request.properties
    is_custom = getattr(request, "custom", True) or getattr(request, "remote", False)
    return {
        "urn": urn,
        "type": request.type,
        "custom": bool(is_custom),
        "inputs": json_format.MessageToDict(given),
        "parent": request.parent,
        "provider": request.provider,
        "stackTrace": _frames(request, root),
    }


def _options(request: Any) -> dict[str, Any]:
    return {
        "protect": bool(request.protect),
        "retainOnDelete": bool(request.retainOnDelete),
        "ignoreChanges": list(request.ignoreChanges),
        "propertyDependencies": {
            name: list(found.urns) for name, found in request.propertyDependencies.items()
        },
    }


def _frames(request: Any, root: str) -> list[dict[str, str]]:
    """Return the frames inside the project, as the engine writes them.

    Not those that lead to the program, where the project is Tidegate's own checkout.
    """
    return [
        {"sourcePosition": f"project:///{quote(path.removeprefix(f'{root}/'))}#{position.line}"}
        for position in _positions(request)
        if (path := unquote(position.uri.removeprefix("file://"))).startswith(f"{root}/")
        and not path.startswith(_HERE)
    ]


def _positions(request: Any) -> Iterable[Any]:
    yield request.sourcePosition
    for frame in request.stackTrace.frames:
        yield frame.pc


class _NoMocks(mocks.Mocks):
    """The monitor answers everything itself; these are never asked."""

    def call(self, args: mocks.MockCallArgs) -> Any:
        raise AssertionError(f"{args.token} is answered by the monitor")

    def new_resource(self, args: mocks.MockResourceArgs) -> Any:
        raise AssertionError(f"{args.typ} is answered by the monitor")
