"""What cannot be collected is refused with one clear message."""

from __future__ import annotations

import pytest

MARK = "plaintext-of-a-secret"
PROJECT = "name: theirs\nruntime: python\n"
ZONES = """
import pulumi_aws as aws
zones = aws.get_availability_zones(state="available")
for index, zone in enumerate(zones.names):
    aws.ec2.Subnet(f"subnet-{index}", vpc_id="vpc-1", availability_zone=zone)
"""


def test_a_program_that_counts_what_only_the_cloud_knows_is_refused_with_a_way_out(refusal):
    assert refusal(ZONES) == (
        "program theirs: program: the program decides by what "
        "aws:index/getAvailabilityZones:getAvailabilityZones answers as 'names', which only the "
        "cloud knows (__main__.py:4); expected its answer in --answers FILE, or `tidegate check "
        "--preview FILE`"
    )


@pytest.mark.parametrize(
    "line",
    [
        "if zones.names: pass",
        "len(zones.names)",
        "zones.names == []",
        "try:\n    zones.names[0]\nexcept Exception:\n    pass",
    ],
)
def test_looking_into_what_only_the_cloud_knows_is_never_swallowed(refusal, line):
    source = f"import pulumi_aws as aws\nzones = aws.get_availability_zones()\n{line}\n"
    assert "decides by what" in refusal(source)


def test_another_stacks_output_as_a_plain_value_is_refused(refusal):
    source = """
import asyncio
import pulumi
import pulumi_aws as aws
network = pulumi.StackReference("acme/network/prod")
async def declare():
    details = await network.get_output_details("owner")
    aws.s3.Bucket("a", tags={"owner": details.value})
asyncio.ensure_future(declare())
"""
    assert "decides by the output 'owner' of another stack" in refusal(source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "import pulumi\npulumi.Config().require('size')\n",
            (
                "config: requires configuration that stack dev does not set: Missing required "
                "configuration variable 'theirs:size'"
            ),
        ),
        ("import nowhere_to_be_found\n", "failed with ModuleNotFoundError: No module named"),
        ("import sys\nsys.exit(3)\n", "failed with SystemExit: 3 (__main__.py:2)"),
        ("import os\nos._exit(3)\n", "ended by itself with exit code 3 before it was through"),
        ("def f(:\n", "failed with SyntaxError"),
        ("import os\nos.environ['TOKEN']\n", "is passed on by --pass-env NAME"),
        (
            "import urllib.request\nurllib.request.urlopen('http://example.com')\n",
            "wants to reach example.com, and is run without a network (__main__.py:2)",
        ),
        (
            (
                "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80))\n"
                "except OSError:\n    pass\n"
            ),
            "wants to reach 192.0.2.1, and is run without a network",
        ),
    ],
)
def test_a_program_that_cannot_be_collected_is_refused_in_one_line(refusal, source, said):
    assert said in refusal(source)


def test_a_failure_does_not_quote_a_secret(refusal):
    source = f"""
import pulumi
import pulumi_aws as aws
aws.s3.Bucket("a", tags={{"a": pulumi.Output.secret("{MARK}")}})
raise ValueError("no such thing: {MARK}")
"""
    said = refusal(source)
    assert "failed with ValueError: no such thing: [secret] (__main__.py:5)" in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"Pulumi.yaml": "name: theirs\nruntime: nodejs\n"}, "is no Python program"),
        ({"Pulumi.yaml": "name: theirs\nruntime: yaml\n"}, "is no Python program"),
        ({"Pulumi.yaml": f"{PROJECT}main: elsewhere\n"}, "is not there"),
        (
            {"Pulumi.yaml": f"{PROJECT}main: empty\n", "empty/x": ""},
            "has no __main__.py",
        ),
        (
            {"Pulumi.yaml": "name: a\nruntime: {name: python, options: {virtualenv: none}}\n"},
            "is no virtual environment",
        ),
    ],
)
def test_a_project_that_is_no_python_program_is_refused(refusal, files, said):
    assert said in refusal("", files=files)


def test_a_program_that_does_not_end_is_ended(refusal):
    said = refusal("import time\ntime.sleep(600)\n", timeout_seconds=1.5)
    assert "did not end within 2 seconds" in said
