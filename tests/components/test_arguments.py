from __future__ import annotations

import string
from decimal import Decimal
from typing import Any

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components.arguments import Arguments
from tidegate_components.gpu_node_pool.args import GpuNodePoolArgs
from tidegate_components.gpu_node_pool.parse import parse_pool

from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import REQUIRED_KEYS, VALUE_GRAMMAR
from tidegate.vocabulary.problems import InvalidInput


def read(**raw: Any) -> Arguments:
    return Arguments("pool x", raw, GpuNodePoolArgs)


def lines(arguments: Arguments) -> list[str]:
    return [str(problem) for problem in arguments.problems]


@pytest.mark.parametrize(
    "key",
    ["accelerator", "max_nodes", "min_nodes", "scaler", "capacity_type", "region", "account"],
)
def test_an_output_in_what_enters_the_manifest_is_a_clear_error(pool_args, catalog, record, key):
    caught: list[str] = []

    def program() -> None:
        args = pool_args("gcp", **{key: pulumi.Output.from_input("late")})
        with pytest.raises(InvalidInput) as error:
            parse_pool("train-h100", args, catalog)
        caught.extend(str(error.value).splitlines())

    record(program)
    assert (
        f"pool train-h100: {key}: is an Output, but enters the capacity manifest, which is needed "
        "beforehand; expected a plain value"
    ) in caught


def test_an_output_inside_a_list_or_map_is_named_by_its_place(record):
    late: list[str] = []

    def program() -> None:
        out = pulumi.Output.from_input("late")
        arguments = read(zones=["a", out], node_labels={"k": out}, labels={"owner": out})
        arguments.texts("zones")
        arguments.text_map("node_labels")
        arguments.cost_labels()
        late.extend(line for line in lines(arguments) if "utput" in line)

    record(program)
    assert late == [
        "pool x: zones[1] = 'an Output': is not a text; expected a plain string",
        "pool x: node_labels.k = 'an Output': is not a text; expected a plain string",
        (
            "pool x: labels.owner: is an Output, but enters the capacity manifest; "
            "expected a plain value"
        ),
    ]


def test_faults_are_gathered_and_raised_together():
    arguments = read(cloud="asw", max_nodes="many", zones="a", priority=True)
    arguments.choice("cloud", Cloud)
    arguments.whole("max_nodes")
    arguments.texts("zones")
    arguments.whole("priority")
    arguments.text("region")

    with pytest.raises(InvalidInput) as caught:
        arguments.finish()

    assert str(caught.value).splitlines() == [
        (
            "pool x: cloud = 'asw': is not known (did you mean 'aws'?); expected one of aws, gcp, "
            "azure"
        ),
        "pool x: max_nodes = 'many': is out of range; expected a whole number of at least 0",
        "pool x: zones = 'a': is not a list; expected a list of strings",
        "pool x: priority = True: is out of range; expected a whole number of at least 0",
        "pool x: region: is required and is missing; expected a value",
    ]


@given(number=st.integers(min_value=0, max_value=10_000))
def test_hosts_send_whole_numbers_as_floats(number):
    assert read(max_nodes=float(number)).whole("max_nodes") == number


@given(value=st.floats(min_value=0, max_value=1e6, allow_nan=False))
def test_amounts_carry_no_binary_fraction(value):
    assert read(declared_nodes=value).decimal("declared_nodes") == Decimal(str(value))


@pytest.mark.parametrize("value", [-1, "NaN", "Infinity", "x", True])
def test_what_is_no_amount_is_refused(value):
    arguments = read(declared_nodes=value)

    assert arguments.decimal("declared_nodes") is None
    assert len(arguments.problems) == 1


@given(
    values=st.fixed_dictionaries(
        {
            key: st.text(alphabet=string.ascii_letters + string.digits + "-_ .", max_size=70)
            for key in REQUIRED_KEYS
            if key != "workload-class"
        }
    )
)
def test_labels_hold_in_every_cloud_or_are_refused(values):
    arguments = read(labels={**values, "workload-class": "training"})

    labels = arguments.cost_labels()

    bad = [key for key, value in values.items() if not VALUE_GRAMMAR.fullmatch(value)]
    assert {problem.property for problem in arguments.problems} == {f"labels.{key}" for key in bad}
    if not bad:
        assert labels.to_mapping()["owner"] == values["owner"]


def test_empty_optional_labels_are_dropped_rather_than_sent(labels):
    arguments = read(labels={**labels, "team": ""})

    assert "team" not in arguments.cost_labels().to_mapping()
    assert arguments.problems == []
