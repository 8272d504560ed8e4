"""The pack under the real engine, the real OPA and the local clouds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tidegate.engine.results import Outcome, RunResult
from tidegate.engine.stack import Options, StackRunner
from tidegate.engine.toolchain import ToolMissing, find_toolchain, provide_language_host
from tidegate.localclouds.lifecycle import (
    local_environment,
    start_local_clouds,
    stop_local_clouds,
)

# The local clouds go on by themselves, as they should.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / "policies"
MARK = "plaintext-of-a-secret"

SETTINGS = "name: judged\nruntime: python\nmain: stacks\nstackConfigDir: stacks\n"
CONFIG = """config:
  aws:region: us-east-1
  judged:environment: prod
"""
HEAD = """
import pulumi
import pulumi_aws as aws

LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-100",
}
"""
LABELLED = 'bucket = aws.s3.Bucket("data", tags=LABELS)\n'
UNLABELLED = 'aws.s3.Bucket("bare", tags={"owner": "a"})\n'
BY_PROVIDER = """
provider = aws.Provider("labelled", region="us-east-1", default_tags={"tags": LABELS})
aws.s3.Bucket("inheriting", opts=pulumi.ResourceOptions(provider=provider))
"""
FOR_EVER = 'aws.cloudwatch.LogGroup("run-logs", tags=LABELS)\n'
DEPENDENT = """
aws.cloudwatch.LogGroup(
    "run-logs", retention_in_days=30, tags={**LABELS, "owner": bucket.id.apply(lambda id: id[:20])}
)
"""
SECRET = f"""
aws.s3.Bucket("secret", tags={{**LABELS, "owner": pulumi.Output.secret("{MARK}")}})
aws.s3.Bucket("all-secret", tags=pulumi.Output.secret({{**LABELS, "owner": "{MARK}"}}))
aws.cloudwatch.LogGroup("keyed", tags=LABELS, kms_key_id=pulumi.Output.secret("{MARK}"))
"""
NODES = """
aws.eks.NodeGroup(
    "gpu",
    cluster_name="elsewhere",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-1"],
    instance_types=["p5.48xlarge"],
    scaling_config={"min_size": %(nodes)d, "desired_size": %(nodes)d, "max_size": 2},
    launch_template={"id": "lt-0123456789abcdef0", "version": "1"},
    tags=LABELS,
)
"""

# These tests are about the pack's ways with a few rules; what small programs break besides is not.
QUIET = dict.fromkeys(
    ("TG-BGT-001", "TG-SPT-001", "TG-STO-001", "TG-STO-006", "TG-TEL-002"), "disabled"
)


@dataclass
class Judged:
    """A project, a stack and what a run of it came to."""

    directory: Path
    home: Path
    runner: StackRunner

    def declare(self, *parts: str) -> None:
        (self.directory / "stacks" / "__main__.py").write_text("\n".join([HEAD, *parts]))

    def options(self, config: dict[str, object] | None = None, **others: object) -> Options:
        path = self.directory / "policy-config.json"
        path.write_text(json.dumps({**QUIET, **(config or {})}))
        return Options(policy_packs=(PACK,), policy_configs=(path,), **others)

    def preview(self, config: dict[str, object] | None = None) -> RunResult:
        return self.runner.preview("dev", self.options(config))

    def up(self, config: dict[str, object] | None = None, **others: object) -> RunResult:
        return self.runner.up("dev", self.options(config, **others))

    def resources(self) -> list[str]:
        found = self.runner.export("dev")["deployment"].get("resources", [])
        return sorted(each["urn"].rsplit("::", 1)[-1] for each in found if each["custom"])

    def processes_left(self) -> list[str]:
        """Command lines of OPA servers that were started for this project."""
        left = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_text().replace("\0", " ")
                environment = (process / "environ").read_text()
            except OSError:
                continue
            if "opa run --server" in command and str(self.home) in environment:
                left.append(command)
        return left


@pytest.fixture(scope="module")
def clouds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    state = tmp_path_factory.mktemp("clouds")
    endpoints = start_local_clouds(state)
    yield local_environment(endpoints, os.environ)
    stop_local_clouds(state)


@pytest.fixture
def judged(tmp_path: Path, clouds: dict[str, str]) -> Iterator[Judged]:
    try:
        toolchain = find_toolchain(ROOT)
    except ToolMissing as error:
        pytest.skip(f"run scripts/setup first: {error}")
    provide_language_host(ROOT, os.environ)
    directory, home = tmp_path / "project", tmp_path / "home"
    (directory / "stacks").mkdir(parents=True)
    (directory / "Pulumi.yaml").write_text(SETTINGS)
    (directory / "stacks" / "Pulumi.dev.yaml").write_text(CONFIG)
    runner = StackRunner(
        directory,
        home,
        f"file://{tmp_path / 'state'}",
        clouds,
        toolchain,
        passphrase="",
        local=True,
    )
    project = Judged(directory, home, runner)
    yield project
    assert project.processes_left() == []


def said(result: RunResult) -> list[tuple[str, str, str]]:
    """Return (level, rule, resource) of each violation."""
    return sorted(
        (found.level, found.policy, found.urn.rsplit("::", 1)[-1]) for found in result.violations
    )


def test_a_mandatory_failure_stops_up_with_nothing_created(judged):
    judged.declare(LABELLED, UNLABELLED, FOR_EVER)
    result = judged.up()
    assert result.outcome is Outcome.POLICY_VIOLATION
    assert said(result) == [
        ("mandatory", "TG-LBL-001", "bare"),
        ("mandatory", "TG-TEL-001", "run-logs"),
    ]
    assert judged.resources() == []


def test_a_violation_says_what_helps(judged):
    judged.declare(UNLABELLED)
    (violation,) = judged.preview().violations
    assert violation.severity == "high"
    assert violation.message.splitlines() == [
        "Mandatory cost labels",
        (
            "TG-LBL-001: bare (aws:s3/bucket:Bucket) lacks cost labels: environment, "
            "business-unit, platform-project, workload-class, cost-center"
        ),
        "  property: tags",
        "  found:    owner=a",
        (
            "  expected: environment, owner, business-unit, platform-project, "
            "workload-class, cost-center"
        ),
        (
            "  remedy:   Add the missing keys where the message says, or to the provider's "
            "default labels where they reach; give every key one spelling."
        ),
        "  more:     policies/rules/labels/mandatory_cost_labels/README.md",
    ]


@pytest.mark.slow
def test_without_a_preview_the_offending_resource_is_refused(judged):
    judged.declare(UNLABELLED)
    result = judged.up(skip_preview=True)
    assert result.outcome is Outcome.POLICY_VIOLATION
    assert "bare" not in judged.resources()


def test_what_is_right_is_created_and_judged_again_without_a_word(judged):
    judged.declare(LABELLED, BY_PROVIDER)
    first = judged.up()
    assert (first.outcome, said(first)) == (Outcome.SUCCEEDED, [])
    assert {"data", "inheriting"} <= set(judged.resources())
    again = judged.up()
    assert (again.outcome, again.has_changes, said(again)) == (Outcome.SUCCEEDED, False, [])


@pytest.mark.slow
def test_a_violating_change_of_what_exists_is_refused(judged):
    judged.declare(LABELLED)
    assert judged.up().succeeded
    judged.declare('aws.s3.Bucket("data", tags={"owner": "a"})')
    result = judged.up()
    assert (result.outcome, said(result)) == (
        Outcome.POLICY_VIOLATION,
        [("mandatory", "TG-LBL-001", "data")],
    )


def test_an_unknown_is_noted_and_stops_nothing(judged):
    judged.declare(LABELLED, DEPENDENT)
    preview = judged.preview()
    assert (preview.outcome, said(preview)) == (
        Outcome.SUCCEEDED,
        [("advisory", "TG-LBL-001", "run-logs")],
    )
    assert "not known yet" in preview.violations[0].message
    assert judged.up().succeeded
    assert said(judged.preview()) == []


@pytest.mark.slow
def test_an_unknown_does_not_hide_a_failure_beside_it(judged):
    judged.declare(LABELLED, DEPENDENT, UNLABELLED)
    result = judged.up()
    assert said(result) == [
        ("advisory", "TG-LBL-001", "run-logs"),
        ("mandatory", "TG-LBL-001", "bare"),
    ]
    assert judged.resources() == []


def test_secrets_stand_in_no_message(judged):
    judged.declare(SECRET)
    # A key that nobody has makes every message list the labels that were found.
    result = judged.preview({"TG-LBL-001": {"requiredKeys": ["nobody-has-it"]}})
    names = {name for _, rule, name in said(result) if rule == "TG-LBL-001"}
    assert names == {"secret", "all-secret", "keyed"}
    assert "owner=[secret]" in result.output
    assert MARK not in result.output
    assert MARK not in "".join(violation.message for violation in result.violations)


@pytest.mark.slow
def test_a_level_for_all_rules_comes_from_the_configuration(judged):
    judged.declare(UNLABELLED)
    result = judged.up({"all": "advisory"})
    assert (result.outcome, said(result)) == (
        Outcome.SUCCEEDED,
        [("advisory", "TG-LBL-001", "bare")],
    )


@pytest.mark.slow
def test_an_advisory_rule_is_mandatory_from_its_day_on(judged):
    judged.declare(LABELLED)
    for day, level in (("2999-01-01", "advisory"), ("2020-01-01", "mandatory")):
        result = judged.preview({"TG-STO-001": {"mandatoryFrom": day}})
        assert said(result) == [(level, "TG-STO-001", "data")]


@pytest.mark.slow
def test_a_disabled_rule_says_nothing(judged):
    judged.declare(UNLABELLED)
    result = judged.preview({"TG-LBL-001": "disabled"})
    assert (result.outcome, said(result)) == (Outcome.SUCCEEDED, [])


@pytest.mark.slow
def test_parameters_come_from_the_configuration(judged):
    judged.declare(LABELLED, UNLABELLED)
    result = judged.preview({"TG-LBL-001": {"requiredKeys": ["Owner"]}})
    remark = "TG-LBL-001: passes, but {} (aws:s3/bucket:Bucket) spells Owner as owner in tags"
    assert {(found.level, found.message.splitlines()[1]) for found in result.violations} == {
        ("advisory", remark.format("bare")),
        ("advisory", remark.format("data")),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"TG-LBL-001": {"requiredKeys": "owner"}}, "requiredKeys"),
        ({"TG-SCL-001": {"exceptions": [{"pool": "a"}]}}, "serviceLevel"),
        ({"TG-TEL-001": {"floors": {"run-logs": {"default": 0}}}}, "floors"),
        ({"TG-LBL-001": {"requiredKey": ["owner"]}}, "did you mean 'requiredKeys'?"),
        ({"TG-LBL-01": "advisory"}, "did you mean 'TG-LBL-001'?"),
    ],
)
def test_a_wrong_parameter_stops_before_anything_is_created(judged, config, words):
    judged.declare(LABELLED)
    result = judged.up(config)
    assert not result.succeeded
    assert words in result.output
    assert judged.resources() == []


def test_an_idle_accelerated_pool_is_refused_and_an_excepted_one_passes(judged):
    judged.declare(NODES % {"nodes": 1})
    assert said(judged.preview()) == [
        ("advisory", "TG-LBL-001", "gpu"),
        ("mandatory", "TG-SCL-001", "gpu"),
    ]
    exception = {"pool": "gpu", "serviceLevel": "chat-p99", "owner": "serving"}
    allowed = judged.preview({"TG-SCL-001": {"exceptions": [exception]}})
    assert (allowed.outcome, said(allowed)) == (
        Outcome.SUCCEEDED,
        [("advisory", "TG-LBL-001", "gpu")],
    )


@pytest.mark.slow
def test_what_only_the_whole_stack_tells_is_said_once_at_the_end(judged):
    judged.declare(NODES % {"nodes": 0})
    (violation,) = judged.preview().violations
    assert (violation.level, "not declared in this stack" in violation.message) == (
        "advisory",
        True,
    )


@pytest.mark.slow
def test_a_rule_that_does_not_compile_stops_everything_with_opas_words(judged, tmp_path):
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(PACK, broken)
    with (broken / "rules/labels/mandatory_cost_labels/mandatory_cost_labels.rego").open(
        "a"
    ) as rule:
        rule.write("\nverdicts contains nothing_here\n")
    judged.declare(LABELLED)
    result = judged.runner.up("dev", Options(policy_packs=(broken,)))
    assert not result.succeeded
    assert "mandatory_cost_labels.rego" in result.output
    assert judged.resources() == []


OWN = """config:
  aws:region: us-east-1
  judged:environment: prod
  judged:labels: {owner: b, business-unit: research, platform-project: vision, cost-center: cc-1}
"""
REMEDIATE = {"TG-LBL-001": {"enforcementLevel": "remediate"}}


def inputs_of(judged, name: str) -> dict:
    (state,) = (
        each
        for each in judged.runner.export("dev")["deployment"]["resources"]
        if each["urn"].endswith(f"::{name}")
    )
    return state["inputs"]


def test_remediation_adds_what_the_stacks_labels_give_and_changes_nothing_else(judged):
    (judged.directory / "stacks" / "Pulumi.dev.yaml").write_text(OWN)
    judged.declare(
        'aws.s3.Bucket("bare", tags={"owner": "a", "workload-class": "training"})',
        f'aws.s3.Bucket("kept", tags={{"team": pulumi.Output.secret("{MARK}"),'
        ' "workload-class": "training"})',
    )
    result = judged.up(REMEDIATE)
    assert (result.outcome, said(result)) == (Outcome.SUCCEEDED, [])
    assert inputs_of(judged, "bare")["tags"] == {
        "environment": "prod",
        "owner": "a",
        "business-unit": "research",
        "platform-project": "vision",
        "workload-class": "training",
        "cost-center": "cc-1",
    }
    assert MARK not in json.dumps(inputs_of(judged, "kept"))
    assert MARK not in result.output
    again = judged.up(REMEDIATE)
    assert (again.outcome, again.has_changes, said(again)) == (Outcome.SUCCEEDED, False, [])


def test_remediation_reaches_what_a_template_and_a_node_pool_start(judged):
    (judged.directory / "stacks" / "Pulumi.dev.yaml").write_text(OWN)
    judged.declare(
        "import pulumi_gcp as gcp",
        'aws.ec2.LaunchTemplate("template", tags=LABELS, image_id="ami-12345678")',
        'provider = gcp.Provider("gcp", project="tidegate-local", region="us-central1")',
        'gcp.container.NodePool("pool", cluster="elsewhere", location="us-central1",'
        ' node_config={"labels": {"a": "b"}}, opts=pulumi.ResourceOptions(provider=provider))',
    )
    # The stack gives no class of work, which is all that still lacks.
    lacking = {name: found.message for name, found in by_resource(judged.preview(REMEDIATE))}
    assert set(lacking) == {"template", "pool"}
    assert all(": workload-class\n" in message for message in lacking.values())


def by_resource(result: RunResult) -> list[tuple[str, object]]:
    return [
        (found.urn.rsplit("::", 1)[-1], found)
        for found in result.violations
        if found.policy == "TG-LBL-001"
    ]


def test_remediation_invents_nothing_and_what_still_lacks_is_refused(judged):
    (judged.directory / "stacks" / "Pulumi.dev.yaml").write_text(OWN.replace("owner: b, ", ""))
    judged.declare('aws.s3.Bucket("bare", tags={"workload-class": "training"})')
    result = judged.up(REMEDIATE)
    assert (result.outcome, said(result)) == (
        Outcome.POLICY_VIOLATION,
        [("mandatory", "TG-LBL-001", "bare")],
    )
    assert "lacks cost labels: owner\n" in result.violations[0].message
    assert judged.resources() == []


@pytest.mark.slow
def test_what_is_said_of_the_environment_and_of_the_stack_goes_before_the_document(judged):
    judged.declare(UNLABELLED)
    dev = {"judged/dev": "advisory"}
    for entry, level in (
        ({"byEnvironment": {"prod": "advisory"}}, "advisory"),
        ({"byEnvironment": {"test": "advisory"}}, "mandatory"),
        ({"byEnvironment": {"prod": "disabled"}, "byStack": dev}, "advisory"),
    ):
        assert said(judged.preview({"TG-LBL-001": entry})) == [(level, "TG-LBL-001", "bare")]
    nearer = {"requiredKeys": ["nobody-has-it"], "byStack": {"dev": {"requiredKeys": ["owner"]}}}
    assert said(judged.preview({"TG-LBL-001": nearer})) == []


@pytest.mark.slow
def test_a_wrong_parameter_of_another_environment_stops_everything(judged):
    judged.declare(LABELLED)
    result = judged.up({"TG-LBL-001": {"byEnvironment": {"test": {"requiredKey": []}}}})
    assert not result.succeeded
    assert "TG-LBL-001.byEnvironment.test.requiredKey" in result.output
    assert "did you mean 'requiredKeys'?" in result.output
    assert judged.resources() == []


@pytest.mark.slow
def test_a_central_opa_that_is_down_stops_everything(judged, monkeypatch):
    judged.declare(LABELLED)
    environment = judged.runner._cli._environment
    monkeypatch.setitem(environment, "TIDEGATE_OPA_URL", "http://127.0.0.1:1")
    result = judged.up()
    assert not result.succeeded
    assert "the OPA at http://127.0.0.1:1 cannot be reached" in result.output
    assert judged.resources() == []


@pytest.mark.slow
def test_a_central_opa_judges_in_place_of_our_own(judged, monkeypatch, tmp_path):
    import subprocess

    import requests

    from tidegate.opa.bundle import build_bundle
    from tidegate.opa.program import find_opa
    from tidegate.opa.server import _free_port

    bundle, port = tmp_path / "bundle.tar.gz", _free_port()
    revision = build_bundle(PACK, bundle)
    url = f"http://127.0.0.1:{port}"
    config = f"bundles:\n  tidegate:\n    resource: file://{bundle}\n"
    (tmp_path / "opa.yaml").write_text(config)
    command = [find_opa(), "run", "--server", f"--addr=127.0.0.1:{port}", "--log-level=error"]
    process = subprocess.Popen([*command, f"--config-file={tmp_path / 'opa.yaml'}"])
    try:
        wait_until_loaded(f"{url}/health?bundles=true", requests)
        environment = judged.runner._cli._environment
        monkeypatch.setitem(environment, "TIDEGATE_OPA_URL", url)
        monkeypatch.setitem(environment, "TIDEGATE_OPA_BUNDLE", f"tidegate@{revision}")
        judged.declare(LABELLED, UNLABELLED)
        assert said(judged.up()) == [("mandatory", "TG-LBL-001", "bare")]
        monkeypatch.setitem(environment, "TIDEGATE_OPA_BUNDLE", "tidegate@other")
        stopped = judged.up()
    finally:
        process.kill()
        process.wait()
    assert not stopped.succeeded
    assert (
        f"has revision '{revision}' of bundle 'tidegate', and 'other' is wanted" in stopped.output
    )
    assert judged.resources() == []


def wait_until_loaded(url: str, requests) -> None:
    import time

    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if requests.get(url, timeout=1).ok:
                return
        except requests.ConnectionError:
            pass
        time.sleep(0.05)
    raise AssertionError("the central OPA was not ready in time")
