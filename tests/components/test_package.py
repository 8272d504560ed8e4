"""The component package as the real Pulumi CLI sees it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tidegate.engine.toolchain import ToolMissing, find_toolchain, provide_language_host

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def schema(tmp_path_factory) -> dict[str, Any]:
    try:
        toolchain = find_toolchain(ROOT)
        bins = [str(provide_language_host(ROOT, os.environ).parent), str(ROOT / ".venv" / "bin")]
    except ToolMissing as error:
        pytest.skip(str(error))
    home = tmp_path_factory.mktemp("pulumi")
    environment = {
        "PATH": os.pathsep.join([*bins, str(toolchain.pulumi.path.parent), os.environ["PATH"]]),
        "HOME": str(home),
        "PULUMI_HOME": str(home),
        "PULUMI_BACKEND_URL": home.as_uri(),
        "PULUMI_SKIP_UPDATE_CHECK": "1",
        # A provider that is said to run already is not downloaded; the schema needs none.
        "PULUMI_DEBUG_PROVIDERS": "aws:1,gcp:1,azure-native:1",
    }
    done = subprocess.run(
        [str(toolchain.pulumi.path), "package", "get-schema", str(ROOT / "components")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_package_lists_every_component_with_its_description(schema):
    described = {name: bool(each.get("description")) for name, each in schema["resources"].items()}

    assert schema["name"] == "tidegate"
    assert described == {
        "tidegate:index:CommittedCapacity": True,
        "tidegate:index:GpuNodePool": True,
        "tidegate:index:StorageTiers": True,
        "tidegate:index:Telemetry": True,
    }


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
