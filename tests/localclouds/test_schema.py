"""Forms derived from the SDKs: names are those of the SDK in hand, whatever was read before."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator

import pytest

from tidegate.localclouds.schema import derive_properties

# As the generated SDKs write it; two of them have nested types of one name.
SDK = """
from typing import Optional, Sequence

import pulumi


@pulumi.input_type
class RuleArgs:
    @property
    @pulumi.getter(name="days")
    def days(self) -> int: ...


@pulumi.input_type
class BucketArgs:
    @property
    @pulumi.getter(name="rules")
    def rules(self) -> Optional[Sequence["RuleArgs"]]: ...
"""


@pytest.fixture
def sdks() -> Iterator[list[types.ModuleType]]:
    modules = []
    for name in ("one_sdk_for_tests", "other_sdk_for_tests"):
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(SDK, vars(module))
        modules.append(module)
    yield modules
    for module in modules:
        del sys.modules[module.__name__]


def test_nested_names_are_resolved_in_their_own_sdk(sdks: list[types.ModuleType]) -> None:
    one, other = sdks
    # `typing` hands both SDKs one annotation object, which keeps what Pulumi resolves it to here.
    first = typing.get_type_hints(one.BucketArgs.rules.fget, globalns=vars(one))["return"]
    assert one.RuleArgs in typing.get_args(typing.get_args(first)[0])
    shapes = [derive_properties(sdk.BucketArgs)["rules"].item for sdk in sdks]
    assert [shape.arguments for shape in shapes if shape] == [one.RuleArgs, other.RuleArgs]
