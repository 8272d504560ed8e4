"""A tiered bucket as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.kept import Bucket, DroppedTier, Tier
from tidegate.manifest.model import Fragment
from tidegate.vocabulary.capacity import Cloud, StorageClass
from tidegate.vocabulary.labels import CostLabels


class Tiering(StrEnum):
    """By what objects move: their age, or how long nobody read them."""

    AGE = "age"
    ACCESS = "access"


class RuleAction(StrEnum):
    """What a lifecycle rule does."""

    TIER = "tier"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Rule:
    """One move or deletion at an age; `storage_class` is empty for a deletion."""

    action: RuleAction
    age_days: int
    storage_class: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class DroppedRule:
    """A default move that was left out, and why."""

    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class OldVersions:
    """What happens to overwritten and deleted objects, and on Azure to snapshots.

    Attributes:
        tiers: Moves by the days since a version became old.
        expire_days: When it is deleted.
        keep_newest: How many of the newest are kept, however old; 0 for none.
    """

    tiers: tuple[Rule, ...]
    expire_days: int
    keep_newest: int = 0


@dataclass(frozen=True, slots=True)
class BucketSpec:
    """Everything plain about a bucket.

    Attributes:
        rules: Moves and deletions, ascending in age within each prefix.
        dropped: Default moves that were left out.
        mean_object_bytes: The mean size of an object; None where nobody said.
        soft_delete_days: Days for which Cloud Storage and Blob Storage keep deleted objects.
        archive_days: S3 archive tiers by access: tier → days.
        autoclass_terminal: The coldest class that Autoclass uses (Google Cloud).
        existing: A bucket or account that exists, of which only the lifecycle is declared.
    """

    id: str
    cloud: Cloud
    region: str
    account: str
    storage_class: StorageClass
    labels: CostLabels
    tiering: Tiering
    rules: tuple[Rule, ...]
    versioned: bool
    old: OldVersions
    abort_uploads_days: int
    small_object_bytes: int
    expected_gib: Decimal | None
    mean_object_bytes: int | None
    monthly_retrieval_share: Decimal | None
    expected_lifetime_days: int | None
    force_destroy: bool
    cloud_name: str
    archive_days: dict[str, int]
    soft_delete_days: int
    redundancy: str
    autoclass_terminal: str
    existing: str
    dropped: tuple[DroppedRule, ...] = ()

    @property
    def where(self) -> str:
        """How messages call this bucket."""
        return f"bucket {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the bucket."""
        return self.labels.to_mapping()

    @property
    def smallest_moved(self) -> int:
        """The smallest object that rules move; Blob Storage knows no such condition."""
        return 0 if self.cloud is Cloud.AZURE else self.small_object_bytes

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Every prefix that rules name, the whole bucket ("") included, in order."""
        return tuple(dict.fromkeys(rule.prefix for rule in self.rules))

    def tiers(self, prefix: str = "") -> tuple[Rule, ...]:
        """Return the moves of one prefix."""
        return tuple(
            rule for rule in self.rules if rule.action is RuleAction.TIER and rule.prefix == prefix
        )

    def expiry(self, prefix: str = "") -> int | None:
        """Return the age at which objects of one prefix are deleted; None for never."""
        ages = [
            rule.age_days
            for rule in self.rules
            if rule.action is RuleAction.DELETE and rule.prefix == prefix
        ]
        return min(ages, default=None)

    def to_fragment(self) -> dict[str, Any]:
        """Return what the bucket adds to the manifest, as plain JSON; prefix rules stay out."""
        bucket = Bucket(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            storage_class=self.storage_class,
            bucket=self.existing or self.cloud_name,
            tiering=self.tiering.value,
            tiers=[_tier(rule) for rule in self.tiers()],
            dropped_tiers=[
                DroppedTier(**_tier(each.rule).model_dump(), reason=each.reason)
                for each in self.dropped
            ],
            expire_after_days=self.expiry(),
            abort_incomplete_uploads_days=self.abort_uploads_days,
            noncurrent_expire_after_days=self.old.expire_days if self.versioned else None,
            noncurrent_tiers=[_tier(rule) for rule in self.old.tiers] if self.versioned else [],
            soft_delete_days=None if self.cloud is Cloud.AWS else self.soft_delete_days,
            expected_gib=self.expected_gib,
            mean_object_bytes=self.mean_object_bytes,
            smallest_moved_bytes=self.smallest_moved,
            monthly_retrieval_share=self.monthly_retrieval_share,
            expected_lifetime_days=self.expected_lifetime_days,
            labels=self.cost_labels,
        )
        return dump_manifest(Fragment(buckets=[bucket]))


def _tier(rule: Rule) -> Tier:
    return Tier(after_days=rule.age_days, storage_class=rule.storage_class)
