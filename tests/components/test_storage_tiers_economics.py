"""No move that costs more than it saves, old versions, snapshots, and buckets that exist."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components import StorageTiers
from tidegate_components.storage_tiers.economics import Expectations, drop_costly
from tidegate_components.storage_tiers.parse import parse_bucket
from tidegate_components.storage_tiers.spec import Rule, RuleAction

from tidegate.catalog.load import load_catalog
from tidegate.manifest.build import build_manifest
from tidegate.pricing.moves import StoredData, Verdict, price_moves
from tidegate.vocabulary.problems import InvalidInput

OWN = {
    "aws": {},
    "gcp": {"gcp": {"project": "acme-ml"}},
    "azure": {"azure": {"resource_group_name": "ml"}},
}
REGION = {"aws": "us-east-1", "gcp": "us-east1", "azure": "eastus"}
CLOUDS = list(OWN)
LARGE = {
    "expected_gib": 1000,
    "mean_object_bytes": 64 * 1024**2,
    "monthly_retrieval_share": 0.05,
}


@pytest.fixture
def args(labels):
    def build(cloud, storage_class="checkpoint", **changes):
        shared = {
            "cloud": cloud,
            "region": REGION[cloud],
            "storage_class": storage_class,
            "labels": labels,
        }
        return {**shared, **OWN[cloud], **changes}

    return build


@pytest.fixture
def parse(args, catalog):
    return lambda cloud, *kind, **changes: parse_bucket(
        "data", args(cloud, *kind, **changes), catalog
    )


@pytest.fixture
def refusal(parse):
    def run(cloud, *kind, **changes):
        with pytest.raises(InvalidInput) as caught:
            parse(cloud, *kind, **changes)
        return str(caught.value).splitlines()

    return run


@pytest.fixture
def declare(record, args, catalog):
    return lambda cloud, *kind, **changes: record(
        lambda: StorageTiers("data", args(cloud, *kind, **changes), None, catalog)
    )


def classes(spec):
    return [rule.storage_class for rule in spec.tiers()]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_defaults_that_pay_are_kept(parse, cloud):
    spec = parse(cloud, "log", **LARGE)

    assert len(spec.tiers()) == 2
    assert spec.dropped == ()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_default_that_is_read_too_often_is_dropped_with_its_figures(parse, cloud):
    often = {**LARGE, "monthly_retrieval_share": 3}

    spec = parse(cloud, "checkpoint", **often)

    assert spec.tiers() == ()
    (dropped,) = spec.dropped
    assert dropped.reason.startswith("costs more than it saves: -")
    assert "USD for 1000 GiB over 60 days" in dropped.reason
    assert "of dearer reads" in dropped.reason


def test_small_objects_on_azure_where_no_rule_knows_a_size_are_not_moved(parse):
    small = {"mean_object_bytes": 4096, "monthly_retrieval_share": 0}

    spec = parse("azure", "log", **small)

    assert classes(spec) == []
    assert [each.rule.storage_class for each in spec.dropped] == ["Cool", "Cold"]


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
def test_small_objects_stay_where_a_rule_knows_their_size_so_the_move_is_kept(parse, cloud):
    small = {"mean_object_bytes": 4096, "monthly_retrieval_share": 0}

    assert parse(cloud, "log", **small).dropped == ()
    assert parse(cloud, "log", **small, small_object_bytes=0).dropped != ()


def test_after_a_dropped_move_the_next_is_held_against_the_class_before(parse):
    # Objects of 256 KiB cost more requests than 60 days in NEARLINE save; 310 days in COLDLINE,
    # entered from STANDARD, pay.
    spec = parse("gcp", "log", **{**LARGE, "mean_object_bytes": 256 * 1024})

    assert [each.rule.storage_class for each in spec.dropped] == ["NEARLINE"]
    assert classes(spec) == ["COLDLINE"]


def test_data_that_is_gone_before_a_default_move_is_not_moved(parse):
    spec = parse("aws", "checkpoint", expected_lifetime_days=20)

    assert [each.reason for each in spec.dropped] == ["objects are gone by then"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_without_expectations_defaults_are_neither_claimed_nor_dropped(parse, cloud):
    spec = parse(cloud, "dataset")

    assert len(spec.tiers()) == 2
    assert spec.dropped == ()


def test_a_stated_move_that_costs_more_than_it_saves_is_refused_with_its_figures(refusal):
    rules = [
        {"action": "tier", "age_days": 30, "storage_class": "STANDARD_IA"},
        {"action": "delete", "age_days": 60},
    ]

    assert refusal("aws", rules=rules, **{**LARGE, "monthly_retrieval_share": 2}) == [
        (
            "bucket data: rules = 'STANDARD_IA at 30 days': costs more than it saves: -9.53 USD "
            "for 1000 GiB over 30 days (10.36 of storage saved, 0.16 of requests, 19.73 of dearer "
            "reads, 0.00 of minimum days, at assumed prices); expected no such move, or a later "
            "expiry, larger objects or fewer reads"
        )
    ]


def test_a_move_that_loses_even_at_its_best_is_refused_without_expectations(refusal):
    rules = [
        {"action": "tier", "age_days": 30, "storage_class": "STANDARD_IA"},
        {"action": "delete", "age_days": 60},
    ]
    often = {"monthly_retrieval_share": 5}

    (line,) = refusal("aws", rules=rules, **often)

    assert "costs more than it saves: a loss even at best for 1 GiB over 30 days" in line
    assert "an unknown amount of requests" in line


def test_rules_of_a_prefix_end_with_the_deletion_of_the_whole_bucket(parse):
    rules = [
        {"action": "delete", "age_days": 300},
        {"action": "tier", "age_days": 30, "storage_class": "NEARLINE", "prefix": "raw/"},
    ]

    spec = parse("gcp", rules=rules, **LARGE)

    assert [rule.storage_class for rule in spec.tiers("raw/")] == ["NEARLINE"]


def test_an_unknown_price_is_neither_refused_nor_claimed(parse):
    rules = [{"action": "tier", "age_days": 0, "storage_class": "INTELLIGENT_TIERING"}]

    assert classes(parse("aws", rules=rules, **LARGE)) == ["INTELLIGENT_TIERING"]


def test_the_manifest_says_what_was_expected_and_what_was_dropped(parse):
    fragment = parse("azure", "checkpoint", **{**LARGE, "monthly_retrieval_share": 3}).to_fragment()

    (bucket,) = fragment["buckets"]
    assert bucket["tiers"] == []
    (dropped,) = bucket["droppedTiers"]
    assert (dropped["afterDays"], dropped["storageClass"]) == (30, "Cool")
    assert bucket["meanObjectBytes"] == 64 * 1024**2
    assert Decimal(bucket["monthlyRetrievalShare"]) == 3
    assert bucket["smallestMovedBytes"] == 0


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"mean_object_bytes": 0},
            "mean_object_bytes = 0: is out of range; expected a whole number of at least 1",
        ),
        (
            {"monthly_retrieval_share": -1},
            "monthly_retrieval_share = -1: is not an amount; expected a number of at least 0",
        ),
        (
            {"rules": [{"action": "tier", "age_days": 30, "storage_class": "STANDARD"}]},
            (
                "rules[0].storage_class = 'STANDARD': is where objects start; expected one of "
                "ARCHIVE, COLDLINE, NEARLINE"
            ),
        ),
        (
            {"rules": [{"action": "delete", "age_days": 1.5}]},
            (
                "rules[0].age_days = 1.5: is no age: a delete rule without one deletes every "
                "object at once; expected at least 1 day"
            ),
        ),
        (
            {"gcp": {"autoclass_terminal_class": "ARCHIVE"}},
            (
                "gcp.autoclass_terminal_class = 'ARCHIVE': needs tiering access; expected tiering "
                "access, or leave it out"
            ),
        ),
        (
            {"noncurrent_tiers": [{"after_days": 0, "storage_class": "COLDLINE"}]},
            (
                "noncurrent_tiers.age_days = 30: leaves COLDLINE before its 90 days, which are "
                "billed anyway; expected at least 90"
            ),
        ),
    ],
)
def test_what_cannot_be_is_refused(refusal, changes, line):
    assert refusal("gcp", **changes) == [f"bucket data: {line}"]


OLD = {
    "versioned": True,
    "noncurrent_expire_after_days": 365,
    "keep_noncurrent_versions": 3,
}


def test_old_versions_move_and_expire_on_s3_and_leave_no_markers(declare):
    old = {**OLD, "noncurrent_tiers": [{"after_days": 30, "storage_class": "STANDARD_IA"}]}

    inputs = declare("aws", **old).one("BucketLifecycleConfiguration").inputs

    rules = {rule["id"]: rule for rule in inputs["rules"]}
    assert rules["tier-old-versions"]["noncurrentVersionTransitions"] == [
        {"noncurrentDays": 30, "storageClass": "STANDARD_IA"}
    ]
    assert rules["expire-old-versions"]["noncurrentVersionExpiration"] == {
        "noncurrentDays": 365,
        "newerNoncurrentVersions": 3,
    }
    assert rules["drop-delete-markers"]["expiration"] == {"expiredObjectDeleteMarker": True}


def test_s3_takes_no_old_version_into_infrequent_access_before_30_days(refusal):
    old = {**OLD, "noncurrent_tiers": [{"after_days": 7, "storage_class": "STANDARD_IA"}]}

    assert refusal("aws", **old) == [
        (
            "bucket data: noncurrent_tiers.age_days = 7: is too young for STANDARD_IA, which takes "
            "objects from 30 days on; expected at least 30"
        )
    ]


def test_old_versions_move_and_expire_on_cloud_storage_beside_enough_newer_ones(declare):
    old = {**OLD, "noncurrent_tiers": [{"after_days": 30, "storage_class": "COLDLINE"}]}

    rules = declare("gcp", **old).one("storage/bucket:Bucket").inputs["lifecycleRules"]

    assert {
        "action": {"type": "SetStorageClass", "storageClass": "COLDLINE"},
        "condition": {
            "daysSinceNoncurrentTime": 30,
            "withState": "ARCHIVED",
            "sizeAboveBytes": 131072,
        },
    } in rules
    assert {
        "action": {"type": "Delete"},
        "condition": {
            "age": 365,
            "daysSinceNoncurrentTime": 365,
            "withState": "ARCHIVED",
            "numNewerVersions": 4,
        },
    } in rules


def test_snapshots_and_versions_move_and_expire_on_azure(declare):
    old = {
        "versioned": True,
        "noncurrent_expire_after_days": 200,
        "noncurrent_tiers": [{"after_days": 10, "storage_class": "Cool"}],
    }

    policy = declare("azure", **old).one("storage:ManagementPolicy").inputs["policy"]

    actions = policy["rules"][-1]["definition"]["actions"]
    ageing = {
        "tierToCool": {"daysAfterCreationGreaterThan": 10},
        "delete": {"daysAfterCreationGreaterThan": 200},
    }
    assert actions == {"snapshot": ageing, "version": ageing}


def test_snapshots_expire_on_azure_without_versions(declare):
    policy = declare("azure", "scratch").one("storage:ManagementPolicy").inputs["policy"]

    actions = policy["rules"][-1]["definition"]["actions"]
    assert actions == {"snapshot": {"delete": {"daysAfterCreationGreaterThan": 30}}}


def test_azure_counts_no_versions(refusal):
    assert refusal("azure", keep_noncurrent_versions=2) == [
        (
            "bucket data: keep_noncurrent_versions = 2: cannot be set: Blob Storage's rules count "
            "no versions; expected leave it out on azure"
        )
    ]


@pytest.mark.parametrize(
    ("kind", "own", "stated"),
    [
        ("dataset", {}, {"enabled": True, "days": 7}),
        ("scratch", {}, {"enabled": False}),
        ("scratch", {"soft_delete_days": 1}, {"enabled": True, "days": 1}),
    ],
)
def test_deleted_blobs_stay_restorable_only_where_that_is_worth_paying_for(
    declare, kind, own, stated
):
    recording = declare("azure", kind, azure={"resource_group_name": "ml", **own})

    service = recording.one("BlobServiceProperties").inputs
    assert service["deleteRetentionPolicy"] == stated
    assert service["containerDeleteRetentionPolicy"] == stated


def test_autoclass_ends_where_it_is_told(declare):
    own = {"gcp": {"project": "acme-ml", "autoclass_terminal_class": "ARCHIVE"}}

    bucket = declare("gcp", "dataset", tiering="access", **own).one("storage/bucket:Bucket").inputs

    assert bucket["autoclass"] == {"enabled": True, "terminalStorageClass": "ARCHIVE"}


def test_of_an_s3_bucket_that_exists_only_the_lifecycle_is_declared(declare):
    recording = declare("aws", existing_bucket="acme.data", owns_lifecycle=True)

    children = [each for each in recording.all if each.request.custom]
    assert [each.type for each in children] == [
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
    ]
    assert children[0].inputs["bucket"] == "acme.data"
    (bucket,) = recording.outputs["data"]["capacity"]["buckets"]
    assert bucket["bucket"] == "acme.data"


def test_of_an_account_that_exists_only_the_policy_is_declared(declare):
    rules = [{"action": "delete", "age_days": 9, "prefix": "logs/debug"}]

    recording = declare("azure", existing_bucket="acmedata", owns_lifecycle=True, rules=rules)

    children = [each for each in recording.all if each.request.custom]
    assert [each.type for each in children] == ["azure-native:storage:ManagementPolicy"]
    assert children[0].inputs["accountName"] == "acmedata"
    (first, _) = children[0].inputs["policy"]["rules"]
    assert first["definition"]["filters"]["prefixMatch"] == ["logs/debug"]


@pytest.mark.parametrize(
    ("cloud", "changes", "start"),
    [
        (
            "aws",
            {"existing_bucket": "acme-data"},
            "owns_lifecycle: is needed: a bucket's lifecycle",
        ),
        (
            "aws",
            {"owns_lifecycle": False},
            "owns_lifecycle: cannot be false: the bucket is made here",
        ),
        (
            "gcp",
            {"existing_bucket": "acme-data", "owns_lifecycle": True},
            "existing_bucket = 'acme-data': cannot be ruled from here: on Cloud Storage",
        ),
        (
            "aws",
            {"existing_bucket": "Acme", "owns_lifecycle": True},
            "existing_bucket = 'Acme': is no such name; expected an S3 bucket's name",
        ),
        (
            "aws",
            {"existing_bucket": "acme-data", "owns_lifecycle": True, "cloud_name": "other-data"},
            "cloud_name: concerns buckets that are made here; expected leave it out",
        ),
        (
            "azure",
            {"existing_bucket": "acmedata", "owns_lifecycle": True, "tiering": "access"},
            "tiering = 'access': needs access tracking, which is a setting of the account",
        ),
        (
            "azure",
            {
                "existing_bucket": "acmedata",
                "owns_lifecycle": True,
                "azure": {"resource_group_name": "ml", "soft_delete_days": 7},
            },
            "azure.soft_delete_days: concerns accounts that are made here; expected leave it out",
        ),
    ],
)
def test_one_owner_of_a_buckets_lifecycle_says_so_and_sets_nothing_else(
    refusal, cloud, changes, start
):
    (line,) = refusal(cloud, **changes)

    assert line.startswith(f"bucket data: {start}")


def test_two_components_on_one_bucket_are_an_error_at_the_merge(args, catalog):
    existing = args("aws", existing_bucket="acme-data", owns_lifecycle=True)
    fragments = [parse_bucket(name, existing, catalog).to_fragment() for name in ("a", "b")]

    with pytest.raises(InvalidInput, match="has an owner of its lifecycle already: bucket a"):
        build_manifest(fragments, project="p", stack="s", catalog_digest="sha256:0")


COLDER = {
    "aws": ["STANDARD_IA", "GLACIER_IR", "DEEP_ARCHIVE"],
    "gcp": ["NEARLINE", "COLDLINE", "ARCHIVE"],
    "azure": ["Cool", "Cold", "Archive"],
}


@given(
    cloud=st.sampled_from(CLOUDS),
    ages=st.lists(st.integers(0, 800), min_size=3, max_size=3, unique=True).map(sorted),
    expiry=st.none() | st.integers(801, 3000),
    mean=st.none() | st.integers(1, 2**30).map(Decimal),
    share=st.none() | st.decimals(0, 3, places=2),
    lifetime=st.none() | st.integers(1, 3000),
)
def test_of_what_is_kept_nothing_is_known_to_lose_and_nothing_else_is_dropped(
    cloud, ages, expiry, mean, share, lifetime
):
    classes = load_catalog().storage_tiers(cloud)
    data = StoredData(None, mean, share, lifetime)
    rules = [Rule(RuleAction.TIER, *move) for move in zip(ages, COLDER[cloud], strict=True)]
    deletions = [] if expiry is None else [Rule(RuleAction.DELETE, expiry)]

    kept, dropped = drop_costly([*rules, *deletions], Expectations(data, classes, REGION[cloud]))

    assert sorted([*kept, *(each.rule for each in dropped)], key=lambda rule: rule.age_days) == [
        *rules,
        *deletions,
    ]
    assert [rule for rule in kept if rule.action is RuleAction.DELETE] == deletions
    ends = [days for days in (expiry, lifetime) if days is not None]
    left = price_moves(
        [(rule.age_days, rule.storage_class) for rule in kept if rule not in deletions],
        classes,
        StoredData(None, mean, share, min(ends, default=None)),
        REGION[cloud],
    )
    assert all(move.verdict in (Verdict.SAVES, Verdict.UNKNOWN) for move in left)
