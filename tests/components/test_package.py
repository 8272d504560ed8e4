"""The component package as the real Pulumi CLI sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tidegate_components


@pytest.fixture(scope="module")
def schema(pulumi_cli) -> dict[str, Any]:
    done = pulumi_cli("package", "get-schema", "./components")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_package_lists_every_component_with_its_description(schema):
    described = {name: bool(each.get("description")) for name, each in schema["resources"].items()}

    assert schema["name"] == "tidegate"
    assert described == {f"tidegate:index:{name}": True for name in tidegate_components.__all__}


def test_every_argument_and_output_is_described(schema):
    nameless = []
    for kind in ("resources", "types"):
        for name, each in schema[kind].items():
            for group in ("inputProperties", "properties"):
                for key, value in each.get(group, {}).items():
                    if not value.get("description"):
                        nameless.append(f"{name}.{key}")
    assert nameless == []


def test_what_enters_the_manifest_is_plain_and_what_joins_a_cluster_is_not(schema):
    inputs = schema["resources"]["tidegate:index:GpuNodePool"]["inputProperties"]

    assert inputs["maxNodes"]["plain"] is True
    assert inputs["labels"]["plain"] is True
    assert "plain" not in inputs["cluster"]


def test_components_output_their_fragment_and_bindings(schema):
    for each in schema["resources"].values():
        assert {"capacity", "bindings"} <= set(each["properties"])
