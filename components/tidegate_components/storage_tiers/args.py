"""The arguments of a tiered bucket, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class LifecycleRuleArgs(TypedDict):
    """One move or deletion at an age."""

    action: str
    """tier or delete."""
    age_days: NotRequired[int]
    """The age at which it happens. A delete rule without one would delete everything at once."""
    storage_class: NotRequired[str]
    """For tier: the class in the cloud's own spelling."""
    prefix: NotRequired[str]
    """Only objects whose name starts so; all when absent."""


class NoncurrentTierArgs(TypedDict):
    """One move of old versions."""

    after_days: int
    """Days since the version became old."""
    storage_class: str
    """The class in the cloud's own spelling."""


class StorageTiersAwsArgs(TypedDict):
    """What only S3 takes."""

    archive_access_days: NotRequired[int]
    """With tiering access: days without access until the archive tier, at least 90."""
    deep_archive_access_days: NotRequired[int]
    """With tiering access: days without access until the deep archive tier, at least 180."""


class StorageTiersGcpArgs(TypedDict):
    """What only Cloud Storage takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""
    soft_delete_days: NotRequired[int]
    """Days for which deleted objects can be restored, and are paid for; 0 or 7 to 90."""
    autoclass_terminal_class: NotRequired[str]
    """With tiering access: the coldest class that Autoclass uses, NEARLINE (the default) or
    ARCHIVE."""


class StorageTiersAzureArgs(TypedDict):
    """What only Blob Storage takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group of the storage account. Required on Azure."""
    redundancy: NotRequired[str]
    """The account's SKU; Standard_LRS unless stated."""
    soft_delete_days: NotRequired[int]
    """Days for which deleted blobs can be restored, and are paid for; 0, or 1 to 365."""


class StorageTiersArgs(TypedDict):
    """A bucket whose contents move to cheaper classes and expire."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    storage_class: str
    """What the bucket holds: dataset, checkpoint, artifact, log or scratch."""
    labels: dict[str, str]
    """The cost labels."""
    tiering: NotRequired[str]
    """age (rules by age, the default) or access (the cloud moves what is not read)."""
    rules: NotRequired[list[LifecycleRuleArgs]]
    """Moves and deletions, instead of the storage class's defaults."""
    versioned: NotRequired[bool]
    """Whether overwritten objects are kept; datasets and artifacts are versioned by default."""
    noncurrent_expire_after_days: NotRequired[int]
    """When old versions, and on Azure snapshots, are deleted; 30 unless stated."""
    noncurrent_tiers: NotRequired[list[NoncurrentTierArgs]]
    """Moves of old versions, and on Azure of snapshots, before they are deleted."""
    keep_noncurrent_versions: NotRequired[int]
    """How many of the newest old versions are kept, however old; not on Azure."""
    abort_incomplete_uploads_days: NotRequired[int]
    """When the parts of unfinished uploads are deleted; 7 unless stated."""
    small_object_bytes: NotRequired[int]
    """Objects below this size stay where they are, because moving them costs more than it saves;
    131072 unless stated."""
    expected_gib: NotRequired[float]
    """Data expected on average; the basis of the cost as declared."""
    mean_object_bytes: NotRequired[int]
    """The mean size of an object; the basis of what moves cost."""
    monthly_retrieval_share: NotRequired[float]
    """How much of what is stored is read in a month: 0.1 is a tenth, 2 is each byte twice."""
    expected_lifetime_days: NotRequired[int]
    """How old objects become on average, where that is less than the expiry."""
    force_destroy: NotRequired[bool]
    """Whether a bucket with contents may be destroyed; scratch buckets may by default."""
    cloud_name: NotRequired[str]
    """The bucket's or account's name, instead of one derived from its id."""
    existing_bucket: NotRequired[str]
    """A bucket (on Azure, a storage account) that exists: only its lifecycle is declared."""
    owns_lifecycle: NotRequired[bool]
    """With existing_bucket, must be true: nothing else declares the lifecycle of that bucket."""
    aws: NotRequired[StorageTiersAwsArgs]
    """What only S3 takes."""
    gcp: NotRequired[StorageTiersGcpArgs]
    """What only Cloud Storage takes."""
    azure: NotRequired[StorageTiersAzureArgs]
    """What only Blob Storage takes."""
