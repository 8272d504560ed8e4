"""What the SDK asks of the outside while a program runs, answered by "not known yet" or fixtures.

The SDK's functions are replaced where its generated packages look them up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi.output import UNKNOWN, Output, Unknown
from pulumi.runtime import rpc
from pulumi.runtime.stack import Stack

from .monitor import InvokeAnswer
from .unseen import NotKnownHere, unseen_result

_SECRET_GETTERS = (
    *("get_secret", "get_secret_bool", "get_secret_int", "get_secret_float"),
    *("get_secret_object", "require_secret", "require_secret_bool", "require_secret_int"),
    *("require_secret_float", "require_secret_object"),
)


def unknown_output(*, is_secret: bool = False) -> Output[Any]:
    """Return an output whose value nobody knows yet."""
    loop = asyncio.get_event_loop()
    known, secret, nothing = (loop.create_future() for _ in range(3))
    known.set_result(False)
    secret.set_result(is_secret)
    nothing.set_result(None)
    return Output(set(), nothing, known, secret)


def answer_invokes(fixtures: Mapping[str, Any]) -> None:
    """Answer plain calls of provider functions; the monitor answers those that are outputs."""
    original = pulumi.runtime.invoke
    original_single = pulumi.runtime.invoke_single

    def invoke(tok: str, props: Any, *arguments: Any, **options: Any) -> Any:
        if tok in fixtures or tok.startswith("pulumi:"):
            return original(tok, props, *arguments, **options)
        kind = options.get("typ", arguments[1] if len(arguments) > 1 else None)
        return _Prompt(unseen_result(tok, kind))

    def invoke_single(tok: str, props: Any, *arguments: Any, **options: Any) -> Any:
        if tok in fixtures:
            return original_single(tok, props, *arguments, **options)
        return _Prompt(rpc.UNKNOWN)

    _replace("invoke", invoke)
    _replace("invoke_single", invoke_single)
    if "unknown" not in InvokeAnswer.DESCRIPTOR.fields_by_name:
        _answer_older_outputs(fixtures)
    _replace("call", _unknown_call)
    _replace("call_single", _unknown_call)


def _answer_older_outputs(fixtures: Mapping[str, Any]) -> None:
    """Answer functions as outputs where the protocol has no word for "not known yet"."""
    for name in ("invoke_output", "invoke_output_single"):
        original = getattr(pulumi.runtime, name, None)
        if original is not None:
            _replace(name, partial(_invoke_output, original, fixtures))


def _invoke_output(
    original: Any, fixtures: Mapping[str, Any], tok: str, *arguments: Any, **options: Any
) -> Any:
    is_known = tok in fixtures or tok.startswith("pulumi:")
    return original(tok, *arguments, **options) if is_known else unknown_output()


class _Prompt:
    """What a plain call gives back: a value that is there, or can be awaited."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.is_secret = False
        self.is_known = True
        self.dependencies: list[Any] = []

    def __await__(self) -> Any:
        yield from ()
        return self.value

    __iter__ = __await__


def _unknown_call(*_arguments: Any, **_options: Any) -> Output[Any]:
    return unknown_output()


def _replace(name: str, function: Callable[..., Any]) -> None:
    setattr(pulumi.runtime, name, function)


def hide_encrypted(keys: frozenset[str]) -> None:
    """Make encrypted configuration read as secrets that are not known, however it is asked for."""
    for name in _SECRET_GETTERS:
        _hide_from(name, keys)


def _hide_from(name: str, keys: frozenset[str]) -> None:
    original = getattr(pulumi.Config, name)

    def read(self: pulumi.Config, key: str, *arguments: Any, **options: Any) -> Any:
        if self.full_key(key) in keys:
            return unknown_output(is_secret=True)
        return original(self, key, *arguments, **options)

    setattr(pulumi.Config, name, read)


def refuse_unknown_details() -> None:
    """Refuse another stack's output as a plain value where no fixture tells it."""
    original = pulumi.StackReference.get_output_details

    async def read(self: pulumi.StackReference, name: str) -> Any:
        if not await self.outputs.is_known():
            raise NotKnownHere(f"the program decides by the output {name!r} of another stack")
        return await original(self, name)

    setattr(pulumi.StackReference, "get_output_details", read)  # noqa: B010 - a method, replaced


def serialize_unseen() -> None:
    """Make the SDK write what nobody knows yet as that, before it looks into it."""
    original = rpc.serialize_property
    original_input = Output.from_input

    def from_input(value: Any) -> Output[Any]:
        return unknown_output() if isinstance(value, Unknown) else original_input(value)

    def export(self: Any, name: str, value: Any) -> None:
        self.outputs[name] = unknown_output() if isinstance(value, Unknown) else value

    setattr(Output, "from_input", staticmethod(from_input))  # noqa: B010 - a method, replaced
    setattr(Stack, "output", export)  # noqa: B010 - the same

    async def serialize(value: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(value, Unknown):
            as_message = options.get("return_protobuf_value", False)
            return struct_pb2.Value(string_value=rpc.UNKNOWN) if as_message else rpc.UNKNOWN
        return await original(value, *arguments, **options)

    rpc.serialize_property = serialize


def doubt_odd_outputs() -> None:
    """Make an output unknown where its type is not that of the input of the same name.

    The monitor answers with the inputs, as the engine does before a resource exists; some
    resources take a list of what they give back as a map.
    """
    original = rpc.translate_output_properties

    def translate(*arguments: Any, **options: Any) -> Any:
        try:
            return original(*arguments, **options)
        except AssertionError:
            return UNKNOWN

    rpc.translate_output_properties = translate
