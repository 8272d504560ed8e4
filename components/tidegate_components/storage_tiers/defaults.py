"""What each storage class does when nothing else is said."""

from __future__ import annotations

from dataclasses import dataclass

from tidegate.vocabulary.capacity import Cloud, StorageClass

SMALL_OBJECT_BYTES = 128 * 1024
"""S3 bills at least 128 KiB an object in its cold classes and keeps smaller ones out by default."""

ABORT_UPLOADS_DAYS = 7
"""Blob Storage discards uncommitted blocks after seven days; the others are told to."""

COOL = {Cloud.AWS: "STANDARD_IA", Cloud.GCP: "NEARLINE", Cloud.AZURE: "Cool"}
COLD = {Cloud.AWS: "GLACIER_IR", Cloud.GCP: "COLDLINE", Cloud.AZURE: "Cold"}


@dataclass(frozen=True, slots=True)
class ClassDefaults:
    """Ages in days; None means never."""

    cool_after: int | None
    cold_after: int | None
    expire_after: int | None
    versioned: bool = False
    restorable: bool = True
    """Whether deleted objects stay restorable for a week where the cloud bills for it."""


DEFAULTS = {
    StorageClass.DATASET: ClassDefaults(30, 120, None, versioned=True),
    StorageClass.CHECKPOINT: ClassDefaults(30, None, 90, restorable=False),
    StorageClass.ARTIFACT: ClassDefaults(60, 180, None, versioned=True),
    StorageClass.LOG: ClassDefaults(30, 90, 400, restorable=False),
    StorageClass.SCRATCH: ClassDefaults(None, None, 14, restorable=False),
}
