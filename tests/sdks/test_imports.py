"""Narrow imports, in programs of their own: what a process has imported cannot be taken back."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


NARROW = """
import sys
from tidegate.sdks.imports import narrow_imports
with narrow_imports("pulumi_gcp.compute"):
    from pulumi_gcp.compute.reservation import Reservation
"""


def test_only_the_named_files_of_a_package_are_loaded():
    loaded = run(NARROW + "print('pulumi_gcp.compute.address' in sys.modules)")

    assert loaded == "False"


def test_the_whole_package_imported_later_has_the_same_classes():
    same = run(NARROW + "import pulumi_gcp as gcp; print(gcp.compute.Reservation is Reservation)")
    others = run(NARROW + "import pulumi_gcp as gcp; print(gcp.compute.Address.__name__)")

    assert (same, others) == ("True", "Address")


TYPES = """
types = sys.modules["pulumi_gcp.compute._inputs"]
made = lambda: [name for name in vars(types) if name.endswith(("Args", "ArgsDict"))]
"""


def test_no_type_is_made_before_it_is_asked_for():
    made = run(NARROW + TYPES + "types.ReservationSpecificReservationArgs; print(made())")
    none = run(NARROW + TYPES + "print(made())")

    assert (none, made) == ("[]", "['ReservationSpecificReservationArgs']")


def test_types_that_were_made_stay_the_same_when_others_join_them():
    later = """
before = sys.modules["pulumi_gcp.compute._inputs"].ReservationSpecificReservationArgs
with narrow_imports("pulumi_gcp.compute"):
    from pulumi_gcp.compute.firewall import Firewall
types = sys.modules["pulumi_gcp.compute._inputs"]
import pulumi_gcp
whole = pulumi_gcp.compute.ReservationSpecificReservationArgs
print(types.FirewallAllowArgs.__name__, whole is before)
"""
    assert run(NARROW + later) == "FirewallAllowArgs True"


HINTS = """
import typing
from pulumi import _types
from pulumi_azure_native.containerservice.agent_pool import AgentPool, AgentPoolArgs
met, waiting = {}, [AgentPoolArgs, AgentPool]
while waiting:
    kind = waiting.pop()
    waiting += typing.get_args(kind)
    if "containerservice" in getattr(kind, "__module__", "") and kind not in met:
        hints = _types.resource_types(kind) if kind is AgentPool else {}
        if _types.is_input_type(kind) or _types.is_output_type(kind):
            hints = _types._types_from_py_properties(kind)
        met[kind] = hints
        waiting += hints.values()
print(*sorted(f"{kind} {hints}" for kind, hints in met.items()), sep="\\n")
"""


def test_annotations_mean_what_they_mean_in_the_whole_sdk():
    late = """
from tidegate.sdks.imports import narrow_imports
with narrow_imports("pulumi_azure_native.containerservice"):
    from pulumi_azure_native.containerservice.agent_pool import AgentPool
"""
    narrow = run(late + HINTS)

    assert narrow == run("import pulumi_azure_native.containerservice" + HINTS)
    for kind in ("_enums.AgentPoolMode", "_inputs.KubeletConfigArgs", "outputs.KubeletConfigR"):
        assert f"<class 'pulumi_azure_native.containerservice.{kind}" in narrow or (
            f"<enum '{kind.removeprefix('_enums.')}'>" in narrow
        )


def test_the_whole_package_imported_later_has_every_type():
    found = run(
        NARROW
        + "import pulumi_gcp as gcp\n"
        + "compute = gcp.compute\n"
        + "print(compute.FirewallAllowArgs.__name__, compute.outputs.FirewallAllow.__name__)"
    )

    assert found == "FirewallAllowArgs FirewallAllow"


def test_a_name_that_no_type_has_is_an_attribute_error():
    found = run(
        NARROW
        + "types = sys.modules['pulumi_gcp.compute._inputs']\n"
        + "print(hasattr(types, 'NothingArgs'), hasattr(types, 'FirewallAllowArgs'))"
    )

    assert found == "False True"


def test_a_package_that_is_loaded_already_gives_its_own_classes():
    same = run(
        "import pulumi_gcp as gcp; whole = gcp.compute.Reservation"
        + NARROW
        + "print(whole is Reservation)"
    )

    assert same == "True"


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_every_component_loads_narrowly_and_agrees_with_the_sdk(cloud):
    package = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure": "pulumi_azure_native"}[cloud]
    code = f"""
import importlib, sys
from pathlib import Path
import pulumi
import tidegate_components
for file in sorted(Path(tidegate_components.__file__).parent.glob("*/{cloud}.py")):
    module = importlib.import_module(f"tidegate_components.{{file.parent.name}}.{cloud}")
    for name, kind in list(vars(module).items()):
        if isinstance(kind, type) and issubclass(kind, pulumi.CustomResource):
            parent = kind.__module__.rpartition(".")[0]
            assert parent.startswith("{package}."), kind
            whole = importlib.import_module(parent)
            assert getattr(whole, kind.__name__) is kind, name
            print(name)
"""
    assert len(run(code).splitlines()) >= 4


def test_stand_ins_are_gone_when_an_import_fails():
    code = """
import sys
from tidegate.sdks.imports import narrow_imports
import pulumi_gcp
before = sys.modules["pulumi_gcp.compute"]
try:
    with narrow_imports("pulumi_gcp.compute"):
        from pulumi_gcp.compute.nowhere import Nothing
except ModuleNotFoundError:
    print(sys.modules["pulumi_gcp.compute"] is before)
"""
    assert run(code) == "True"
