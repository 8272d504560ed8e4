"""Forms derived from the SDKs: names are those of the SDK in hand, whatever was read before."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator

import pytest

from tidegate.localclouds.contracts import UNKNOWN
from tidegate.localclouds.differences import overlay
from tidegate.localclouds.schema import derive_properties, load_schema
from tidegate.localclouds.shapes import check_shapes

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


COMPUTE = "azure-native:machinelearningservices:Compute"
CLUSTER = {"computeType": "AmlCompute", "properties": {"scaleSettings": {"maxNodeCount": 4}}}


@pytest.mark.parametrize(
    ("properties", "failures"),
    [
        (CLUSTER, []),
        ({"computeType": UNKNOWN, "anything": 1}, []),
        ({}, ["properties.computeType"]),
        ({"computeType": "Abacus"}, ["properties.computeType"]),
        ({**CLUSTER, "nodes": 4}, ["properties.nodes"]),
        ({"computeType": "AmlCompute", "properties": {"scaleSettings": {}}},
         ["properties.properties.scaleSettings.maxNodeCount"]),
        ({"computeType": "ComputeInstance", "properties": {"scaleSettings": {"maxNodeCount": 4}}},
         ["properties.properties.scaleSettings"]),
    ],
)  # fmt: skip
def test_one_of_several_objects_is_told_by_its_mark_and_held_against_its_form(
    properties: dict[str, object], failures: list[str]
) -> None:
    inputs = {"resourceGroupName": "ml", "workspaceName": "runs", "properties": properties}
    assert [each.property for each in check_shapes(load_schema(COMPUTE), inputs)] == failures


def test_defaults_of_the_cloud_are_no_drift_in_one_of_several_objects() -> None:
    shape = load_schema(COMPUTE).inputs.properties["properties"]
    live = {**CLUSTER, "provisioningState": "Succeeded"}
    assert overlay(shape, CLUSTER, live) == CLUSTER


@pytest.mark.parametrize(
    ("stream", "failures"),
    [("Custom-Runs_CL", []), (7, ["dataFlows[0].streams[0]"])],
)
def test_azures_data_collection_rules_take_streams_of_their_own(
    stream: object, failures: list[str]
) -> None:
    inputs = {"resourceGroupName": "ml", "dataFlows": [{"streams": [stream]}]}
    rule = load_schema("azure-native:monitor:DataCollectionRule")
    assert [each.property for each in check_shapes(rule, inputs)] == failures


@pytest.mark.parametrize(
    ("token", "argument"),
    [
        # Its file is configuration_profile_hciassignment.py: no rule of names tells it.
        ("azure-native:automanage:ConfigurationProfileHCIAssignment", "clusterName"),
        ("kubernetes:batch/v1:Job", "spec"),  # its file is Job.py
        ("aws:ec2/launchTemplate:LaunchTemplate", "tagSpecifications"),
    ],
)
def test_a_type_is_found_however_its_file_is_called(token: str, argument: str) -> None:
    schema = load_schema(token)

    assert schema.resource.__name__ == token.rpartition(":")[2]
    assert argument in schema.inputs.properties
