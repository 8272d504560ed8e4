from __future__ import annotations

import pytest

from tidegate.policy.preview import read_preview
from tidegate.vocabulary.problems import InvalidInput

HEAD = "urn:pulumi:prod::vision::aws:s3/bucket:Bucket::"


def step(op, name, **state):
    new = {"urn": HEAD + name, "type": "aws:s3/bucket:Bucket", "custom": True, **state}
    return {"op": op, "urn": HEAD + name, "newState": new}


def preview_of(*steps, summary=None, **others):
    return {"config": {}, "steps": list(steps), "changeSummary": summary or {}, **others}


def names(preview):
    return sorted(resource.name for resource in preview.graph.resources)


def test_what_will_exist_is_judged_and_what_goes_is_not():
    gone = {"op": "delete", "urn": f"{HEAD}gone", "oldState": {}}
    replaced = [step(op, "new") for op in ("create-replacement", "replace")]
    halves = [*replaced, {"op": "delete-replaced", "urn": f"{HEAD}new", "oldState": {}}]
    preview = read_preview("p", preview_of(step("same", "a"), step("update", "b"), gone, *halves))
    assert names(preview) == ["a", "b", "new"]
    assert preview.hidden == 0
    assert preview.graph.complete


def test_what_is_read_belongs_to_somebody_else():
    preview = read_preview("p", preview_of(step("read", "theirs"), step("create", "ours")))
    assert names(preview) == ["ours"]
    assert [resource.name for resource in preview.graph.context] == ["theirs"]


def test_a_preview_without_show_sames_is_recognised_and_not_taken_for_the_whole():
    preview = read_preview("p", preview_of(step("update", "a"), summary={"same": 18, "update": 1}))
    assert preview.hidden == 18
    assert not preview.graph.complete


def test_a_preview_of_nothing_at_all_is_whole():
    assert read_preview("p", {"changeSummary": {}}).graph.resources == ()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (None, "is no preview"),
        ([], "is no preview"),
        ({}, "is no preview"),
        ({"deployment": {"resources": []}}, "is no preview"),
        ({"steps": []}, "is no whole preview"),
        ({"changeSummary": {}, "steps": {}}, "is no list of steps"),
        ({"changeSummary": {}, "steps": [{"op": "create"}]}, "is no list of steps"),
        (preview_of({"op": "create", "urn": "urn:a"}), "has no state"),
        (preview_of(config=[1]), "is no configuration"),
        (
            preview_of(diagnostics=[{"severity": "error", "message": "bad plaintext-of-a-secret"}]),
            "is of a preview that failed, with 1 error",
        ),
    ],
)
def test_another_document_is_refused_and_never_an_empty_preview(document, said):
    # kyverno#15106, conftest#952: a plan nobody understood read as "0 failures"
    with pytest.raises(InvalidInput, match=said) as caught:
        read_preview("p", document)
    assert "plaintext" not in str(caught.value)


def test_what_the_stack_exports_after_the_change_is_not_shown():
    assert read_preview("p", preview_of(step("create", "a"))).graph.manifest_hidden
