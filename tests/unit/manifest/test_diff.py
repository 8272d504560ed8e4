from __future__ import annotations

from tidegate.manifest.diff import Change, ChangeKind, diff_manifests


def test_equal_manifests_have_no_difference_whatever_the_order(manifest_of, pool):
    one = manifest_of(pools=[pool("a"), pool("b")])
    two = manifest_of(pools=[pool("b"), pool("a")])

    assert diff_manifests(one, two) == []


def test_changes_are_said_by_id_and_property_with_both_values(manifest_of, pool):
    old = manifest_of(pools=[pool("a"), pool("b")])
    new = manifest_of(
        pools=[pool("a", maxNodes=8, checkpoint=None), pool("c", zones=["us-central1-a"])]
    )

    changes = diff_manifests(old, new)

    properties = {(c.kind.value, c.id, c.property, str(c.before), str(c.after)) for c in changes}
    assert {
        ("changed", "a", "maxNodes", "4", "8"),
        ("removed", "a", "checkpoint.intervalSeconds", "900", "None"),
    } <= properties
    whole = [(c.kind, c.section, c.id) for c in changes if not c.property]
    assert whole == [(ChangeKind.REMOVED, "pools", "b"), (ChangeKind.ADDED, "pools", "c")]


def test_a_changed_ceiling_belongs_to_the_whole_manifest(manifest_of):
    old = manifest_of()
    new = old.model_copy(
        update={"hourly_ceiling": old.hourly_ceiling.model_copy(update={"currency": "EUR"})}
    )

    assert diff_manifests(old, new) == [
        Change(ChangeKind.CHANGED, "manifest", "", "hourlyCeiling.currency", "USD", "EUR")
    ]


def test_quotas_are_compared_by_what_they_limit(manifest_of):
    quota = {
        "cloud": "aws",
        "region": "us-east-2",
        "family": "p5",
        "capacityType": "spot",
        "limit": 96,
    }
    old = manifest_of()
    with_quota = type(old).model_validate({**old.model_dump(), "quotas": [quota]})
    raised = type(old).model_validate({**old.model_dump(), "quotas": [{**quota, "limit": 192}]})

    assert diff_manifests(with_quota, raised) == [
        Change(ChangeKind.CHANGED, "quotas", "aws/us-east-2/p5/spot", "limit", 96, 192)
    ]
