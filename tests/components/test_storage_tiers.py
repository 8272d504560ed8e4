from __future__ import annotations

import pulumi
import pytest
from tidegate_components import StorageTiers
from tidegate_components.storage_tiers.parse import parse_bucket

from tidegate.vocabulary.problems import InvalidInput

CLOUDS = ["aws", "gcp", "azure"]
CLASSES = ["dataset", "checkpoint", "artifact", "log", "scratch"]
OWN = {
    "aws": {},
    "gcp": {"gcp": {"project": "acme-ml"}},
    "azure": {"azure": {"resource_group_name": "ml"}},
}
REGION = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
LIFECYCLE = "bucketLifecycleConfiguration:BucketLifecycleConfiguration"


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
def declare(record, args, catalog):
    def run(cloud, storage_class="checkpoint", opts=None, **changes):
        given = args(cloud, storage_class, **changes)
        return record(lambda: StorageTiers("data", given, opts, catalog))

    return run


@pytest.fixture
def refusal(args, catalog):
    """Return the lines of the refusal of a bucket."""

    def run(cloud, **changes):
        with pytest.raises(InvalidInput) as caught:
            parse_bucket("data", args(cloud, **changes), catalog)
        return str(caught.value).splitlines()

    return run


@pytest.mark.parametrize("storage_class", CLASSES)
@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_class_has_defaults_that_its_cloud_accepts(args, catalog, cloud, storage_class):
    spec = parse_bucket("data", args(cloud, storage_class), catalog)
    stated = [
        {
            "action": rule.action.value,
            "age_days": rule.age_days,
            "storage_class": rule.storage_class,
        }
        for rule in spec.rules
    ]
    rules = [{key: value for key, value in rule.items() if value} for rule in stated]

    assert parse_bucket("data", args(cloud, storage_class, rules=rules), catalog) == spec


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_fragment_says_tiers_and_expiry(declare, cloud):
    (bucket,) = declare(cloud).outputs["data"]["capacity"]["buckets"]

    cool = {"aws": "STANDARD_IA", "gcp": "NEARLINE", "azure": "Cool"}[cloud]
    assert bucket["tiers"] == [{"afterDays": 30, "storageClass": cool}]
    assert bucket["expireAfterDays"] == 90
    assert bucket["labels"]["managed-by"] == "tidegate"


@pytest.mark.parametrize(
    ("cloud", "kind", "key"),
    [
        ("aws", "s3/bucket:Bucket", "tags"),
        ("gcp", "storage/bucket:Bucket", "labels"),
        ("azure", "StorageAccount", "tags"),
    ],
)
def test_cost_labels_are_stamped_on_the_bucket(declare, labels, cloud, kind, key):
    stamped = declare(cloud).one(kind).inputs[key]

    assert stamped == {**labels, "managed-by": "tidegate"}


def test_s3_has_one_owner_of_the_lifecycle(declare):
    recording = declare("aws")

    bucket = recording.one("s3/bucket:Bucket")
    assert "lifecycleRules" not in bucket.inputs
    assert bucket.ignored == ["lifecycleRules"]
    assert len(recording.of(LIFECYCLE)) == 1


def test_s3_moves_nothing_small_and_deletes_regardless_of_size(declare):
    rules = {rule["id"]: rule for rule in declare("aws").one(LIFECYCLE).inputs["rules"]}

    assert rules["tier"]["filter"] == {"objectSizeGreaterThan": 131072}
    assert rules["tier"]["transitions"] == [{"days": 30, "storageClass": "STANDARD_IA"}]
    assert rules["expire"]["filter"] == {"prefix": ""}
    assert rules["expire"]["expiration"] == {"days": 90}


def test_s3_lowers_its_own_size_floor_when_a_smaller_one_is_wanted(declare):
    def threshold(**changes):
        inputs = declare("aws", **changes).one(LIFECYCLE).inputs
        return inputs["transitionDefaultMinimumObjectSize"]

    assert threshold() == "all_storage_classes_128K"
    assert threshold(small_object_bytes=1024) == "varies_by_storage_class"


def test_s3_drops_unfinished_uploads_and_old_versions(declare):
    recording = declare("aws", "artifact", noncurrent_expire_after_days=14)

    rules = {rule["id"]: rule for rule in recording.one(LIFECYCLE).inputs["rules"]}
    assert rules["abort-uploads"]["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 7}
    assert rules["expire-old-versions"]["noncurrentVersionExpiration"] == {"noncurrentDays": 14}
    versioning = recording.one("BucketVersioning").inputs["versioningConfiguration"]
    assert versioning == {"status": "Enabled"}
    assert any("BucketVersioning" in urn for urn in recording.one(LIFECYCLE).request.dependencies)


def test_s3_watches_access_from_the_first_day(declare):
    recording = declare("aws", "dataset", tiering="access", aws={"archive_access_days": 120})

    rules = {rule["id"]: rule for rule in recording.one(LIFECYCLE).inputs["rules"]}
    assert rules["watch-access"]["transitions"] == [
        {"days": 0, "storageClass": "INTELLIGENT_TIERING"}
    ]
    assert "tier" not in rules
    assert recording.one("BucketIntelligentTieringConfiguration").inputs["tierings"] == [
        {"accessTier": "ARCHIVE_ACCESS", "days": 120}
    ]


def test_s3_combines_prefix_and_size_as_s3_wants_it(declare):
    rules = [
        {"action": "tier", "age_days": 0, "storage_class": "GLACIER_IR", "prefix": "raw/"},
        {"action": "delete", "age_days": 400, "prefix": "raw/"},
    ]

    found = {
        rule["id"]: rule["filter"]
        for rule in declare("aws", rules=rules).one(LIFECYCLE).inputs["rules"]
    }
    assert found["tier-raw"] == {"and": {"prefix": "raw/", "objectSizeGreaterThan": 131072}}
    assert found["expire-raw"] == {"prefix": "raw/"}


@pytest.mark.parametrize("storage_class", CLASSES)
def test_every_delete_rule_on_cloud_storage_states_a_positive_age(declare, storage_class):
    rules = declare("gcp", storage_class).one("storage/bucket:Bucket").inputs["lifecycleRules"]

    ages = [r["condition"].get("age") for r in rules if r["action"]["type"] == "Delete"]
    assert all(age is not None and age >= 1 for age in ages)


def test_cloud_storage_tiers_expires_and_aborts_uploads(declare):
    bucket = declare("gcp", "log").one("storage/bucket:Bucket").inputs

    assert bucket["lifecycleRules"] == [
        {
            "action": {"type": "SetStorageClass", "storageClass": "NEARLINE"},
            "condition": {"age": 30, "sizeAboveBytes": 131072},
        },
        {
            "action": {"type": "SetStorageClass", "storageClass": "COLDLINE"},
            "condition": {"age": 90, "sizeAboveBytes": 131072},
        },
        {"action": {"type": "Delete"}, "condition": {"age": 400}},
        {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 7}},
    ]
    assert bucket["softDeletePolicy"] == {"retentionDurationSeconds": 0}


def test_cloud_storage_autoclass_excludes_rules_that_move(declare):
    bucket = declare("gcp", "dataset", tiering="access").one("storage/bucket:Bucket").inputs

    assert bucket["autoclass"]["enabled"] is True
    moves = [r for r in bucket["lifecycleRules"] if r["action"]["type"] == "SetStorageClass"]
    assert moves == []


def test_azure_policies_carry_the_only_name_that_works(declare):
    recording = declare("azure")

    policy = recording.one("storage:ManagementPolicy").inputs
    assert policy["managementPolicyName"] == "default"
    rule, _ = policy["policy"]["rules"]
    assert rule["definition"]["actions"]["baseBlob"] == {
        "tierToCool": {"daysAfterModificationGreaterThan": 30},
        "delete": {"daysAfterModificationGreaterThan": 90},
    }


def test_azure_rules_by_access_come_with_access_tracking(declare):
    recording = declare("azure", "dataset", tiering="access")

    service = recording.one("BlobServiceProperties").inputs
    assert service["lastAccessTimeTrackingPolicy"] == {"enable": True}
    policy = recording.one("storage:ManagementPolicy")
    actions = policy.inputs["policy"]["rules"][0]["definition"]["actions"]["baseBlob"]
    assert actions["tierToCool"] == {"daysAfterLastAccessTimeGreaterThan": 30}
    assert any("BlobServiceProperties" in urn for urn in policy.request.dependencies)


def test_azure_account_names_leave_room_for_the_random_suffix(record, args, catalog):
    name = "a-rather-long-bucket-identifier"
    recording = record(lambda: StorageTiers(name, args("azure"), None, catalog))

    account = recording.one("StorageAccount")
    assert len(account.name) <= 24 - 8
    assert account.name.isalnum()


@pytest.mark.parametrize(
    ("cloud", "changes", "line"),
    [
        (
            "aws",
            {"rules": [{"action": "tier", "age_days": 29, "storage_class": "STANDARD_IA"}]},
            (
                "bucket data: rules.age_days = 29: is too young for STANDARD_IA, which takes "
                "objects from 30 days on; expected at least 30"
            ),
        ),
        (
            "aws",
            {
                "rules": [
                    {"action": "tier", "age_days": 30, "storage_class": "GLACIER_IR"},
                    {"action": "delete", "age_days": 60},
                ]
            },
            (
                "bucket data: rules.age_days = 60: leaves GLACIER_IR before its 90 days, which are "
                "billed anyway; expected at least 120"
            ),
        ),
        (
            "gcp",
            {
                "rules": [
                    {"action": "tier", "age_days": 30, "storage_class": "COLDLINE"},
                    {"action": "tier", "age_days": 200, "storage_class": "NEARLINE"},
                ]
            },
            (
                "bucket data: rules.storage_class = 'NEARLINE': is not colder than COLDLINE, where "
                "objects are by then; expected a colder class"
            ),
        ),
        (
            "gcp",
            {"rules": [{"action": "delete", "age_days": 0}]},
            (
                "bucket data: rules[0].age_days = 0: is no age: a delete rule without one deletes "
                "every object at once; expected at least 1 day"
            ),
        ),
        (
            "azure",
            {"rules": [{"action": "tier", "age_days": 30, "storage_class": "cool"}]},
            (
                "bucket data: rules[0].storage_class = 'cool': is no storage class there (did you "
                "mean 'Cool'?); expected one of Archive, Cold, Cool, Hot"
            ),
        ),
        (
            "azure",
            {"small_object_bytes": 1024},
            (
                "bucket data: small_object_bytes = 1024: cannot be set: Blob Storage's rules know "
                "no object size; expected leave it out on azure"
            ),
        ),
        (
            "aws",
            {
                "tiering": "access",
                "rules": [{"action": "tier", "age_days": 30, "storage_class": "GLACIER"}],
            },
            (
                "bucket data: rules[0].action = 'tier': moves by age, and tiering is access: two "
                "owners of one object's class; expected delete rules only, or tiering age"
            ),
        ),
        (
            "azure",
            {"cloud_name": "has-hyphen"},
            (
                "bucket data: cloud_name = 'has-hyphen': is not a valid Azure storage account "
                "name; expected at most 24 characters: at least 3 lowercase letters and digits"
            ),
        ),
        (
            "aws",
            {"azure": {"resource_group_name": "ml"}},
            "bucket data: azure: concerns azure, and the bucket is in aws; expected leave it out",
        ),
        (
            "gcp",
            {"gcp": {"soft_delete_days": 3}},
            "bucket data: gcp.soft_delete_days = 3: is not allowed; expected 0, or 7 to 90",
        ),
    ],
)
def test_rules_that_a_cloud_refuses_or_bills_for_nothing_are_refused(refusal, cloud, changes, line):
    assert refusal(cloud, **changes) == [line]


def test_a_bucket_named_like_google_needs_another_name(args, catalog):
    with pytest.raises(InvalidInput, match="cannot become a Cloud Storage name"):
        parse_bucket("google-data", args("gcp"), catalog)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_protection_and_ignored_changes_reach_the_bucket(declare, cloud):
    key = "labels" if cloud == "gcp" else "tags"
    opts = pulumi.ResourceOptions(protect=True, ignore_changes=[key])

    recording = declare(cloud, opts=opts)

    kind = {"aws": "s3/bucket:Bucket", "gcp": "storage/bucket:Bucket", "azure": "StorageAccount"}
    bucket = recording.one(kind[cloud])
    assert bucket.request.protect
    assert key in bucket.ignored
