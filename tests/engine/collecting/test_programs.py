"""Public programs of every kind are collected as the engine would see them."""

from __future__ import annotations

import json
import os

import pytest

from tidegate.engine.collecting import Fixtures, Settings, collect_program
from tidegate.engine.config import read_project

MARK = "plaintext-of-a-secret"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
PROJECT = "name: theirs\nruntime: python\n"


ZONES = """
import pulumi_aws as aws
zones = aws.get_availability_zones(state="available")
for index, zone in enumerate(zones.names):
    aws.ec2.Subnet(f"subnet-{index}", vpc_id="vpc-1", availability_zone=zone)
"""


def test_a_resource_is_kept_with_its_options_and_its_line(collect):
    found = collect(
        """
import pulumi
import pulumi_aws as aws
first = aws.s3.Bucket("first", tags={"owner": "a"})
aws.s3.Bucket(
    "second",
    tags={"of": first.id},
    opts=pulumi.ResourceOptions(protect=True, ignore_changes=["tags"], parent=first),
)
"""
    )
    second = found["second"]
    assert second["urn"] == (
        "urn:pulumi:dev::theirs::aws:s3/bucket:Bucket$aws:s3/bucket:Bucket::second"
    )
    assert second["inputs"] == {"tags": {"of": UNKNOWN}}
    assert second["protect"] is True
    assert second["ignoreChanges"] == ["tags"]
    assert second["propertyDependencies"]["tags"] == [found["first"]["urn"]]
    assert second["stackTrace"][0] == {"sourcePosition": "project:///__main__.py#5"}


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("import pulumi\n\n", "__main__.py#1"),
        ("import pulumi\npulumi.export('a', 1)\npulumi.export('b', 2)\n", "__main__.py#2"),
        ("import pulumi\npulumi.export('a', 1)\npulumi.export('capacity', {})\n", "__main__.py#3"),
        ("import pulumi\npulumi.export('capacity', {})\npulumi.export('a', 1)\n", "__main__.py#2"),
        ("import say\n\nsay.capacity()\n", "say.py#5"),
    ],
    ids=["exports-nothing", "first-export", "manifest", "manifest-first", "own-module"],
)
def test_the_stack_has_the_line_that_exports_its_manifest(collect, source, place):
    module = "from pulumi import export\n\n\ndef capacity():\n    export('capacity', {})\n"
    stack = collect(source, {"say.py": module})["theirs-dev"]
    assert stack["stackTrace"] == [{"sourcePosition": f"project:///{place}"}]


def test_moving_a_resource_ten_lines_moves_its_place_by_ten(collect):
    source = "import pulumi_aws as aws\n%saws.s3.Bucket('a')\n"
    places = [
        collect(source % ("\n" * lines))["a"]["stackTrace"][0]["sourcePosition"]
        for lines in (0, 10)
    ]
    assert places == ["project:///__main__.py#2", "project:///__main__.py#12"]


def test_a_project_whose_path_an_address_must_encode_keeps_its_lines(tmp_path):
    folder = tmp_path / "gpu pools ü"
    (folder / "a b").mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text(PROJECT)
    (folder / "__main__.py").write_text(
        "import runpy\nfrom pathlib import Path\n"
        "runpy.run_path(str(Path(__file__).parent / 'a b' / 'c#.py'))\n"
    )
    (folder / "a b" / "c#.py").write_text("import pulumi_aws as aws\naws.s3.Bucket('a')\n")
    document = collect_program(read_project(folder), Settings("dev"), os.environ)
    bucket = next(each for each in document["resources"] if each["urn"].endswith("::a"))
    assert bucket["stackTrace"][0] == {"sourcePosition": "project:///a%20b/c%23.py#2"}


def test_the_program_may_lie_in_a_folder_of_the_project_and_read_its_files(collect):
    found = collect(
        "",
        {
            "Pulumi.yaml": "name: theirs\nruntime: {name: python}\nmain: infra\n",
            "infra/__main__.py": (
                "import json, pathlib\nimport pulumi_aws as aws\nfrom settings import NAME\n"
                "aws.s3.Bucket(NAME, tags=json.loads(pathlib.Path('tags.json').read_text()))\n"
            ),
            "infra/settings.py": "NAME = 'from-a-file'\n",
            "infra/tags.json": '{"owner": "a"}',
        },
    )
    assert found["from-a-file"]["inputs"] == {"tags": {"owner": "a"}}
    assert (
        found["from-a-file"]["stackTrace"][0]["sourcePosition"] == "project:///infra/__main__.py#4"
    )


def test_the_program_may_be_a_file_that_the_project_names(collect):
    files = {
        "Pulumi.yaml": "name: theirs\nruntime: python\nmain: infra/prog.py\n",
        "infra/prog.py": (
            "import pulumi_aws as aws\naws.s3.Bucket(open('name.txt').read().strip())\n"
        ),
        "infra/name.txt": "told\n",
    }

    assert "told" in collect("", files=files)


def test_functions_of_providers_answer_what_nobody_knows_yet(collect):
    found = collect(
        """
import pulumi
import pulumi_aws as aws
me = aws.get_caller_identity()
zones = aws.get_availability_zones()
image = aws.ec2.get_ami_output(owners=["amazon"])
aws.s3.Bucket("logs", bucket=f"logs-{me.account_id}", tags={"owner": me.account_id})
aws.ec2.Instance("machine", ami=image.id, tags={"zones": image.apply(lambda it: it.id.upper())})
pulumi.export("zones", zones.names)
"""
    )
    assert found["logs"]["inputs"] == {"bucket": UNKNOWN, "tags": {"owner": UNKNOWN}}
    assert found["machine"]["inputs"] == {"ami": UNKNOWN, "tags": {"zones": UNKNOWN}}


def test_an_answer_from_outside_is_used(collect):
    answer = {"names": ["us-east-1a", "us-east-1b"]}
    functions = {"aws:index/getAvailabilityZones:getAvailabilityZones": answer}
    found = collect(ZONES, fixtures=Fixtures(functions=functions))
    zones = [found[f"subnet-{index}"]["inputs"]["availabilityZone"] for index in (0, 1)]
    assert zones == ["us-east-1a", "us-east-1b"]


def test_another_stack_is_unknown_or_answered(collect):
    source = """
import pulumi
import pulumi_aws as aws
network = pulumi.StackReference("acme/network/prod")
aws.ec2.SecurityGroup("group", vpc_id=network.get_output("vpc"))
"""
    assert collect(source)["group"]["inputs"]["vpcId"] == UNKNOWN
    fixtures = Fixtures(stacks={"acme/network/prod": {"vpc": "vpc-7"}})
    found = collect(source, fixtures=fixtures)
    assert found["group"]["inputs"]["vpcId"] == "vpc-7"
    assert found["acme/network/prod"]["external"] is True


def test_transforms_are_run_as_the_engine_would(collect):
    found = collect(
        """
import pulumi
import pulumi_aws as aws
def tag(args):
    if args.type_ == "aws:s3/bucket:Bucket":
        tags = {**(args.props.get("tags") or {}), "owner": "by-transform"}
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True))
        return pulumi.ResourceTransformResult(props={**args.props, "tags": tags}, opts=options)
def own(args):
    tags = {**args.props["tags"], "team": "of-" + args.name}
    return pulumi.ResourceTransformResult(props={**args.props, "tags": tags}, opts=args.opts)
pulumi.runtime.register_resource_transform(tag)
aws.s3.Bucket("a", tags={"x": "y"}, opts=pulumi.ResourceOptions(transforms=[own]))
"""
    )
    assert found["a"]["inputs"] == {"tags": {"x": "y", "team": "of-a", "owner": "by-transform"}}
    assert found["a"]["protect"] is True


def test_dynamic_remote_and_other_resources_are_kept(collect):
    found = collect(
        f"""
import pulumi
from pulumi.dynamic import CreateResult, Resource, ResourceProvider
class Provider(ResourceProvider):
    def create(self, props):
        return CreateResult("1", {{"token": "{MARK}"}})
class Dynamic(Resource):
    token: pulumi.Output[str]
    def __init__(self, name):
        super().__init__(Provider(), name, {{"token": None}})
class Random(pulumi.CustomResource):
    def __init__(self, name):
        super().__init__("random:index/randomId:RandomId", name, {{"byteLength": 4}})
class Cluster(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("eks:index:Cluster", name, {{}}, None, remote=True)
pulumi.export("token", Dynamic("dynamic").token.apply(lambda token: token.upper()))
Random("random")
Cluster("cluster")
"""
    )
    assert [found[name]["custom"] for name in ("dynamic", "random", "cluster")] == [True] * 3
    assert MARK not in json.dumps(list(found.values()))


def test_an_output_of_another_type_than_its_input_is_not_known(collect):
    found = collect(
        """
import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
cluster = azure.containerservice.ManagedCluster(
    "cluster",
    resource_group_name="group",
    identity={"type": "UserAssigned", "user_assigned_identities": ["identity-1"]},
)
aws.s3.Bucket("a", tags={"of": cluster.identity.apply(lambda it: it.type)})
"""
    )
    assert found["a"]["inputs"] == {"tags": {"of": UNKNOWN}}


def test_configuration_comes_from_the_run_the_stack_and_the_project(collect):
    found = collect(
        """
import pulumi
import pulumi_aws as aws
config = pulumi.Config()
tags = {"a": config.require("a"), "b": config.require("b"), "c": config.require("c")}
aws.s3.Bucket("it", tags=tags | {"d": str(config.require_object("d")["x"])})
""",
        {
            "Pulumi.yaml": (
                f"{PROJECT}config:\n  a: project\n  b: {{type: string, default: project}}\n"
                "  theirs:c: {value: project}\n"
            ),
            "Pulumi.dev.yaml": "config:\n  theirs:b: stack\n  c: stack\n  theirs:d: {x: 1}\n",
        },
        config={"c": "run"},
    )
    assert found["it"]["inputs"]["tags"] == {"a": "project", "b": "stack", "c": "run", "d": "1"}


def test_threads_that_go_on_do_not_keep_the_check(collect):
    found = collect(
        "import threading, time\nimport pulumi_aws as aws\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\naws.s3.Bucket('a')\n"
    )
    assert "a" in found


def test_an_asynchronous_program_is_collected(collect):
    found = collect(
        "import pulumi\nimport pulumi_aws as aws\n"
        "async def main():\n    aws.s3.Bucket('a')\n    return {'b': 1}\npulumi.run(main)\n"
    )
    assert "a" in found
