from __future__ import annotations

import pytest

from tidegate.policy.graph import Provider, StackFacts
from tidegate.policy.states import build_graph, parse_source
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import SourceLine

HEAD = "urn:pulumi:prod::vision::"
DEFAULT = f"{HEAD}pulumi:providers:aws::default_7"


def bucket(**others):
    urn = f"{HEAD}aws:s3/bucket:Bucket::data"
    return {"urn": urn, "type": "aws:s3/bucket:Bucket", "custom": True, **others}


@pytest.mark.parametrize(
    ("state", "source"),
    [
        (
            {"sourcePosition": "project:///stacks/__main__.py#9"},
            SourceLine("stacks/__main__.py", 9),
        ),
        ({"sourcePosition": "project:///__main__.py#9,4"}, SourceLine("__main__.py", 9)),
        (
            {"sourcePosition": "project:///gpu%20pools/%C3%BC%23.py#9"},
            SourceLine("gpu pools/ü#.py", 9),
        ),
        ({"sourcePosition": "project:///%2e%2e/own.py#9"}, None),
        (
            # an explicit provider is declared inside the SDK
            {
                "sourcePosition": "project:///.venv/lib/python3.11/site-packages/pulumi_aws/p.py#3",
                "stackTrace": [
                    {},
                    {"sourcePosition": "project:///../elsewhere/component.py#7"},
                    {"sourcePosition": "project:///own/component.py#12"},
                    {"sourcePosition": "project:///__main__.py#1"},
                ],
            },
            SourceLine("own/component.py", 12),
        ),
        ({"sourcePosition": "file:///etc/passwd#1"}, None),
        ({"sourcePosition": "project:////etc/passwd#1"}, None),
        ({"sourcePosition": 7, "stackTrace": "nothing"}, None),
        ({}, None),
    ],
)
def test_the_source_is_the_first_frame_inside_the_project(state, source):
    assert parse_source(state) == source


def test_a_default_provider_that_is_no_state_is_read_from_the_configuration():
    config = {"aws:defaultTags": '{"tags": {"owner": "a"}}', "gcp:project": "p"}
    graph = build_graph("x", [bucket(provider=f"{DEFAULT}::id")], config=config)
    expected = Provider(DEFAULT, {"defaultTags": '{"tags": {"owner": "a"}}'})
    assert graph.resources[0].provider == expected


def test_a_provider_that_is_a_state_goes_before_the_configuration():
    provider = {"urn": DEFAULT, "type": "pulumi:providers:aws", "inputs": {"region": "r"}}
    states = [provider, bucket(provider=f"{DEFAULT}::id")]
    graph = build_graph("x", states, config={"aws:region": "other"})
    assert graph.resources[1].provider == Provider(DEFAULT, {"region": "r"})


def test_what_the_stack_only_reads_is_context_and_not_judged():
    graph = build_graph("x", [bucket(external=True), bucket(urn=f"{HEAD}aws:s3/bucket:Bucket::b")])
    assert [resource.name for resource in graph.resources] == ["b"]
    assert [resource.name for resource in graph.context] == ["data"]


@pytest.mark.parametrize(
    ("given", "config", "environment"),
    [
        ("", {}, "prod"),
        ("", {"vision:environment": "staging"}, "staging"),
        ("", {"vision:environment": "[secret]"}, "prod"),
        ("live", {"vision:environment": "staging"}, "live"),
    ],
)
def test_the_environment_is_given_or_configured_or_the_stacks_name(given, config, environment):
    graph = build_graph("x", [bucket()], environment=given, config=config)
    assert graph.stack == StackFacts("vision", "prod", environment)


@pytest.mark.parametrize(
    "state",
    [
        None,
        "urn",
        {"urn": "urn:a"},
        {"urn": 1, "type": "t"},
        bucket(inputs=[1]),
        bucket(inputs="x"),
    ],
)
def test_what_is_no_state_is_refused(state):
    with pytest.raises(InvalidInput, match=r"^x: resources: is no list of resources"):
        build_graph("x", [state])
