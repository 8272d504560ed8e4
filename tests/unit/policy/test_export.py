from __future__ import annotations

import json

import pytest

from tidegate.policy.export import read_export
from tidegate.policy.graph import Provider, Resource, StackFacts
from tidegate.policy.values import SECRET, SECRET_SIGNATURE, SIGNATURE_KEY
from tidegate.vocabulary.problems import InvalidInput

PROVIDER = "urn:pulumi:prod::vision::pulumi:providers:aws::default"
BUCKET = "urn:pulumi:prod::vision::aws:s3/bucket:Bucket::data"
MARK = "plaintext-of-a-secret"
STATES = [
    {
        "urn": PROVIDER,
        "type": "pulumi:providers:aws",
        "id": "1-2-3",
        "inputs": {"region": "us-east-1", "defaultTags": '{"tags": {"owner": "a"}}'},
    },
    {
        "urn": BUCKET,
        "type": "aws:s3/bucket:Bucket",
        "custom": True,
        "id": "data-1",
        "inputs": {
            "__defaults": [],
            "tags": {"team": {SIGNATURE_KEY: SECRET_SIGNATURE, "ciphertext": MARK}},
        },
        "outputs": {"arn": "arn:aws:s3:::data-1", "tags": {"team": MARK}},
        "provider": f"{PROVIDER}::1-2-3",
        "parent": "urn:parent",
        "protect": True,
        "ignoreChanges": ["tags"],
        "propertyDependencies": {"tags": ["urn:other"], "none": None},
    },
    {"urn": "urn:old", "type": "aws:s3/bucket:Bucket", "delete": True},
]


def export_of(states: object) -> dict[str, object]:
    return {"version": 3, "deployment": {"resources": states}}


def test_reads_what_exists_with_the_inputs_that_made_it():
    graph = read_export("x", export_of(STATES), "staging")
    assert graph.stack == StackFacts("vision", "prod", "staging")
    assert graph.complete
    assert [resource.urn for resource in graph.resources] == [PROVIDER, BUCKET]
    assert graph.resources[1] == Resource(
        urn=BUCKET,
        type="aws:s3/bucket:Bucket",
        name="data",
        properties={"tags": {"team": SECRET}},
        identifiers={"id": "data-1", "arn": "arn:aws:s3:::data-1"},
        provider=Provider(PROVIDER, STATES[0]["inputs"]),
        parent="urn:parent",
        protect=True,
        ignore_changes=("tags",),
        dependencies={"tags": ("urn:other",), "none": ()},
    )


def test_no_secret_stays_in_the_graph():
    graph = read_export("x", export_of(STATES))
    shown = [[resource.properties, resource.identifiers] for resource in graph.resources]
    assert MARK not in json.dumps(shown)


def test_without_an_environment_the_stacks_name_stands_for_it():
    assert read_export("x", export_of(STATES)).stack.environment == "prod"


def test_an_empty_stack_has_no_resources():
    assert read_export("x", export_of(None)).resources == ()


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"deployment": []},
        {"steps": []},
        export_of([{"urn": "urn:a"}]),
        export_of(["urn:a"]),
        export_of({"urn": "urn:a", "type": "t"}),
    ],
)
def test_another_document_is_refused_and_never_an_empty_stack(document):
    # kyverno#15106, conftest#952: a plan nobody understood read as "0 failures"
    with pytest.raises(InvalidInput, match=r"^x: deployment"):
        read_export("x", document)


def test_the_capacity_manifest_among_the_stacks_outputs_is_read():
    capacity = {"version": "tidegate/capacity/v1", "pools": [{"id": "a", "maxNodes": 4}]}
    stack = {
        "urn": "urn:pulumi:prod::vision::pulumi:pulumi:Stack::vision-prod",
        "type": "pulumi:pulumi:Stack",
        "outputs": {"capacity": capacity},
    }
    document = {"deployment": {"resources": [*STATES, stack]}}
    assert read_export("export", document).manifest == capacity
    assert read_export("export", {"deployment": {"resources": STATES}}).manifest is None
