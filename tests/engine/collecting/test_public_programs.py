"""Kinds of public programs, through the command: checked, or refused with one clear message."""

from __future__ import annotations

import json

import pytest

from tidegate.cli import main

PROJECT = "name: theirs\nruntime: python\n"
ANY = """
import pulumi
class Any(pulumi.CustomResource):
    def __init__(self, token, name, props, computed=()):
        super().__init__(token, name, {**props, **dict.fromkeys(computed)})
"""
OTHERS = f"""{ANY}
Any("random:index/randomPassword:RandomPassword", "password", {{"length": 16}}, ["result"])
Any("tls:index/privateKey:PrivateKey", "key", {{"algorithm": "RSA"}}, ["privateKeyPem"])
Any("docker:index/image:Image", "image", {{"imageName": "x", "build": {{"context": "."}}}})
"""
SITE = """
import pathlib
import pulumi
import pulumi_aws as aws
bucket = aws.s3.Bucket("site")
for path in pathlib.Path("www").iterdir():
    aws.s3.BucketObject(path.name, bucket=bucket.id, source=pulumi.FileAsset(str(path)))
code = pulumi.AssetArchive({".": pulumi.FileArchive("./www")})
aws.lambda_.Function("serve", role="arn:aws:iam::123456789012:role/r", code=code)
"""
CLUSTER = """
import pulumi
import pulumi_kubernetes as kubernetes
app = {"app": "nginx"}
space = kubernetes.core.v1.Namespace("apps", metadata={"name": "apps"})
service = kubernetes.core.v1.Service("front", spec={"type": "LoadBalancer", "selector": app})
pulumi.export("ip", service.status.apply(lambda it: it.load_balancer.ingress[0].ip))
"""
RENDERED = """
import pulumi_kubernetes as kubernetes
kubernetes.yaml.ConfigFile("guestbook", file="guestbook.yaml")
options = kubernetes.helm.v3.ChartOpts(chart="nginx")
kubernetes.helm.v3.Chart("nginx", options)
kubernetes.helm.v4.Chart("redis", chart="redis")
"""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Return what checks a program: (exit code, the one stack of the report or None, message)."""

    def run(source, files=None):
        for name, text in {"Pulumi.yaml": PROJECT, "__main__.py": source, **(files or {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        arguments = ["check", "--program", str(tmp_path), "--format", "json"]
        monkeypatch.setattr("sys.argv", ["tidegate", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.run()
        shown = capsys.readouterr()
        found = json.loads(shown.out)["stacks"][0] if shown.out else None
        return ended.value.code or 0, found, shown.err

    return run


def names(entries):
    return sorted(entry["urn"].rsplit("::", 1)[-1] for entry in entries)


def test_resources_of_other_providers_are_not_covered_and_never_pass(check):
    code, stack, _ = check(OTHERS)
    assert (code, names(stack["notCovered"])) == (0, ["image", "key", "password"])
    assert stack["verdicts"] == []


def test_files_that_a_program_uploads_are_read_and_stay_here(check):
    mark = "content-of-a-file"
    code, stack, _ = check(SITE, {"www/index.html": mark, "www/a.css": "a"})
    assert (code, stack["resources"], stack["notCovered"]) == (1, 4, [])
    assert mark not in json.dumps(stack)


def test_objects_of_kubernetes_are_judged(check):
    code, stack, _ = check(CLUSTER)
    failed = {v["rule"] for v in stack["verdicts"] if v["outcome"] == "fail"}
    assert (code, failed) == (1, {"TG-KUB-001", "TG-LBL-001"})


def test_what_a_provider_would_render_is_said_to_be_not_covered(check):
    manifest = "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n"
    code, stack, _ = check(RENDERED, {"guestbook.yaml": manifest})
    assert (code, names(stack["notCovered"])) == (0, ["guestbook", "nginx", "redis"])
    assert stack["verdicts"] == []


def test_a_required_number_that_is_missing_is_one_message(check):
    code, stack, said = check("import pulumi\npulumi.Config('app').require_int('nodes')\n")
    assert (code, stack, len(said.splitlines())) == (2, None, 1)
    assert "requires configuration that stack dev does not set" in said


def test_a_provider_that_is_not_installed_is_one_message(check):
    code, stack, said = check("import pulumi_nowhere as nowhere\nnowhere.RandomPet('pet')\n")
    assert (code, stack, len(said.splitlines())) == (2, None, 1)
    assert "No module named 'pulumi_nowhere'" in said
