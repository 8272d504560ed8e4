"""Editing an exported state: what was created is recorded once, intents are kept until settled."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from tidegate.engine.checkpoint import (
    PendingOperation,
    clear_pending,
    find_strangers,
    forget,
    list_pending,
    list_pending_creates,
    record_creations,
)
from tidegate.engine.pending import PendingCreate

PROVIDER = "urn:pulumi:dev::p::pulumi:providers:gcp::eu"
POOL = "urn:pulumi:dev::p::gcp:container/nodePool:NodePool::train"


def resource(urn: str, **fields: object) -> dict:
    return {"urn": urn, "type": urn.split("::")[2], "custom": True, **fields}


def deployment(*resources: dict, pending: tuple[tuple[str, dict], ...] = ()) -> dict:
    return {
        "resources": list(resources),
        "pending_operations": [{"type": kind, "resource": made} for kind, made in pending],
    }


INTENT = resource(POOL, inputs={"name": "train"}, provider=f"{PROVIDER}::abc")
STATE = deployment(
    resource(PROVIDER, id="abc", inputs={"project": "ml", "region": "europe-west4"}),
    pending=(
        ("creating", INTENT),
        ("updating", resource("urn:pulumi:dev::p::x:y:Z::u")),
        ("creating", resource("urn:pulumi:dev::p::pulumi:providers:aws::default")),
    ),
)


def test_lists_what_a_killed_run_left_with_the_providers_settings() -> None:
    assert list_pending(STATE)[:2] == (
        PendingOperation(POOL, "creating"),
        PendingOperation("urn:pulumi:dev::p::x:y:Z::u", "updating"),
    )
    assert list_pending_creates(STATE) == (
        PendingCreate(
            POOL,
            "gcp:container/nodePool:NodePool",
            {"name": "train"},
            {"project": "ml", "region": "europe-west4"},
        ),
    )


def test_records_a_creation_without_outputs_and_keeps_the_intent() -> None:
    before = copy.deepcopy(STATE)
    edited = record_creations(STATE, {POOL: "ml/eu/c/train"})
    assert edited["resources"][-1] == {**INTENT, "id": "ml/eu/c/train", "outputs": {}}
    assert edited["pending_operations"] == STATE["pending_operations"]
    assert before == STATE
    assert clear_pending(edited)["pending_operations"] == []


def test_marks_the_predecessor_of_a_replacement_for_deletion() -> None:
    state = deployment(resource(POOL, id="old"), pending=(("creating", INTENT),))
    edited = record_creations(state, {POOL: "new"})
    assert [(r.get("id"), r.get("delete", False)) for r in edited["resources"]] == [
        ("old", True),
        ("new", False),
    ]


@given(st.dictionaries(st.sampled_from([POOL, "urn:other"]), st.text(min_size=1, max_size=5)))
def test_recording_twice_is_recording_once(identifiers: dict[str, str]) -> None:
    once = record_creations(STATE, identifiers)
    assert record_creations(once, identifiers) == once


def asked(**inputs: object) -> PendingCreate:
    return PendingCreate(POOL, "gcp:container/nodePool:NodePool", inputs, {})


def test_whatever_carries_other_labels_belongs_to_somebody_else() -> None:
    mine = deployment(resource(POOL, id="x", outputs={"labels": {"owner": "ml", "more": "1"}}))
    assert find_strangers(mine, [asked(labels={"owner": "ml"})]) == ()
    assert find_strangers(mine, [asked(labels={"owner": "web"})]) == (POOL,)
    assert find_strangers(deployment(resource(POOL, id="x")), [asked(labels={"a": "b"})]) == (POOL,)


def test_what_was_asked_for_without_labels_cannot_be_a_stranger() -> None:
    theirs = deployment(resource(POOL, id="x", outputs={"labels": {"owner": "web"}}))
    assert find_strangers(theirs, [asked(labels={}), asked(name="train")]) == ()


def test_forgets_the_resource_and_not_its_predecessor() -> None:
    state = deployment(resource(POOL, id="old", delete=True), resource(POOL, id="new"))
    assert [r["id"] for r in forget(state, [POOL])["resources"]] == ["old"]
