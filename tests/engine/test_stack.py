"""The real CLI on a tiny cloud: what a run came to, and that nothing else was touched."""

from __future__ import annotations

import json
import re

import pytest

from tidegate.engine.events import Event, ResourceStep, StepState
from tidegate.engine.results import Outcome
from tidegate.engine.stack import Options, PulumiFailed
from tidegate.engine.toolchain import tools_bin
from tidegate.vocabulary.problems import InvalidInput


def names(steps: tuple[ResourceStep, ...]) -> list[str]:
    return sorted(step.name for step in steps)


def test_declares_changes_and_destroys_leaving_what_is_protected(project, cloud) -> None:
    judged = Options(policy_packs=[project.pack])
    seen: list[Event] = []

    created = project.runner.up("dev", judged, seen.append)
    assert created.outcome is Outcome.SUCCEEDED
    assert names(created.created) == cloud.names == ["t0", "t1", "t2"]
    assert created.changes == {"create": 4}
    assert created.explain() == ""
    started = [e for e in seen if isinstance(e, ResourceStep) and e.state is StepState.STARTED]
    assert {"t0", "t1", "t2"} <= {step.name for step in started}

    again = project.runner.up("dev", judged)
    assert not again.has_changes
    assert names(again.unchanged) == ["t0", "t1", "t2"]

    project.configure(size=70)
    refused = project.runner.up("dev", judged)
    assert refused.outcome is Outcome.POLICY_VIOLATION
    assert sorted({found.urn.rsplit("::", 1)[-1] for found in refused.violations}) == [
        "t0",
        "t1",
        "t2",
    ]
    assert "size 70 is above 50" in refused.explain()
    assert json.loads((cloud.store / "t0.json").read_text())["size"] == 1

    project.configure(size=7, protect="t1")
    assert names(project.runner.up("dev", judged).updated) == ["t0", "t1", "t2"]
    assert not project.runner.preview("dev", judged).has_changes

    destroyed = project.runner.destroy("dev", Options(exclude_protected=True))
    assert destroyed.succeeded
    assert names(destroyed.deleted) == ["t0", "t2"]
    assert cloud.names == ["t1"]


def test_keeps_the_committed_configuration_as_it_is(project) -> None:
    project.configure(count=1)
    path = project.directory / "stacks" / "Pulumi.dev.yaml"
    before = path.read_bytes()

    assert project.runner.up("dev").succeeded
    assert project.runner.outputs("dev") == {"count": 1}
    assert path.read_bytes() == before
    assert sorted(p.name for p in project.directory.iterdir()) == [
        "Pulumi.yaml",
        "policies",
        "stacks",
    ]


def test_records_the_events_of_each_run_without_debug_messages(project) -> None:
    project.configure(count=1)
    project.runner.up("dev")
    (record,) = (project.state.parent / "runs").glob("*-dev-up.jsonl")
    events = [json.loads(line) for line in record.read_text().splitlines()]
    assert [e["summaryEvent"]["isPreview"] for e in events if "summaryEvent" in e] == [True, False]
    assert not [e for e in events if e.get("diagnosticEvent", {}).get("severity") == "debug"]


def test_tells_a_violation_from_a_pack_that_crashed(project) -> None:
    crashing = project.runner_with(TINY_PACK_CRASH="1")
    result = crashing.preview("dev", Options(policy_packs=[project.pack]))
    assert result.outcome is Outcome.POLICY_PACK_FAILED
    assert "a bug in the pack" in result.explain()


def test_tells_a_missing_pack(project) -> None:
    result = project.runner.preview("dev", Options(policy_packs=[project.directory / "nowhere"]))
    assert result.outcome is Outcome.POLICY_PACK_FAILED
    assert "nowhere" in result.explain()


def test_tells_a_resource_that_failed_and_keeps_what_was_made(project, cloud) -> None:
    project.configure(fail="t1")
    cloud.delay_creations(1)  # the others have begun when it fails
    result = project.runner.up("dev")
    assert result.outcome is Outcome.RESOURCE_FAILED
    assert "t1: " in result.explain()
    assert "ZONE_STOCK_OUT" in result.explain()
    assert cloud.names == ["t0", "t2"]


def test_tells_what_a_provider_refuses_before_it_is_made(project, cloud) -> None:
    project.configure(size=200)
    result = project.runner.up("dev")
    assert result.outcome is Outcome.RESOURCE_FAILED
    assert "at most 100" in result.explain()
    assert cloud.names == []


def test_tells_a_program_that_failed_from_its_own_first_line(project) -> None:
    program = project.directory / "stacks" / "__main__.py"
    program.write_text("import json\n\njson.loads('{')\n")
    result = project.runner.preview("dev")
    assert result.outcome is Outcome.PROGRAM_FAILED
    said = result.explain()
    assert "JSONDecodeError" in said
    assert re.findall(r'File "([^"]+)"', said)[0] == str(program)


def test_a_programs_own_debug_messages_reach_the_engine_and_the_sdks_do_not(project) -> None:
    program = project.directory / "stacks" / "__main__.py"
    program.write_text(program.read_text() + "\npulumi.log.debug('of the program')\n")
    project.configure(count=1)
    own, every = [], []
    for found, runner in (
        (own, project.runner),
        (every, project.runner_with(PULUMI_PYTHON_DEBUG="1")),
    ):
        command = ["preview", "--debug", "--stack", "dev", "--config-file"]
        runner.ensure_stack("dev")
        done = runner._cli.ask(
            project.directory, *command, str(project.directory / "stacks" / "Pulumi.dev.yaml")
        )
        found += [line.strip() for line in done.stdout.splitlines() if "debug: " in line]

    assert any("of the program" in line for line in own)
    assert not any("registering resource: ty=tiny" in line for line in own)
    assert any("registering resource: ty=tiny" in line for line in every)


def test_the_state_says_who_declared_a_resource_in_frames_of_the_program_alone(project) -> None:
    project.configure(count=1)
    assert project.runner.up("dev").succeeded

    resources = project.runner.export("dev")["deployment"]["resources"]

    (thing,) = [found for found in resources if found["type"] == "tiny:index:Thing"]
    program = (project.directory / "stacks" / "__main__.py").read_text()
    line = program.splitlines().index("    Thing(") + 1
    position = f"project:///stacks/__main__.py#{line}"
    assert thing["sourcePosition"] == position
    is_own_host = (tools_bin(project.toolchain.root) / "pulumi-language-python").exists()
    if is_own_host:  # the official one adds frames of its own
        assert thing["stackTrace"] == [{"sourcePosition": position}]


def test_tells_a_configuration_that_cannot_be_read(project) -> None:
    project.runner.ensure_stack("dev")
    (project.directory / "stacks" / "Pulumi.dev.yaml").write_text("config: [")
    with pytest.raises((InvalidInput, PulumiFailed), match=r"Pulumi\.dev\.yaml|YAML"):
        project.runner.preview("dev")


def test_refuses_a_stack_that_has_no_configuration_naming_the_nearest(
    project,
) -> None:
    with pytest.raises(InvalidInput, match=r"there is no Pulumi\.deb\.yaml; expected 'dev'"):
        project.runner.up("deb")


def test_says_that_a_stack_does_not_exist(project) -> None:
    with pytest.raises(PulumiFailed) as caught:
        project.runner.outputs("dev")
    assert caught.value.outcome is Outcome.STACK_NOT_FOUND


def test_a_real_run_refuses_what_a_local_one_left(project, cloud, toolchain) -> None:
    from tidegate.engine.stack import StackRunner

    with pytest.raises(InvalidInput) as caught:
        StackRunner(
            project.directory,
            project.state.parent / "home",
            f"file://{project.state}",
            {"TIDEGATE_LOCAL": "1", "PULUMI_DEBUG_PROVIDERS": f"tiny:{cloud.port}"},
            toolchain,
        )
    assert [problem.property for problem in caught.value.problems] == [
        "PULUMI_DEBUG_PROVIDERS",
        "TIDEGATE_LOCAL",
        "backend",
    ]
