"""S3: the bucket itself."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType, tags_of
from tidegate.localclouds.aws.clients import DEFAULT_REGION, find_region
from tidegate.localclouds.aws.convert import from_tags, to_tags
from tidegate.localclouds.aws.iam import same_document
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.store import Record

# Deprecated properties of the bucket that have types of their own.
OWN_TYPES = {
    "accelerationStatus": "aws.s3.BucketAccelerateConfiguration",
    "acl": "aws.s3.BucketAcl",
    "corsRules": "aws.s3.BucketCorsConfiguration",
    "grants": "aws.s3.BucketAcl",
    "lifecycleRules": "aws.s3.BucketLifecycleConfiguration",
    "logging": "aws.s3.BucketLogging",
    "objectLockConfiguration": "aws.s3.BucketObjectLockConfiguration",
    "replicationConfiguration": "aws.s3.BucketReplicationConfig",
    "requestPayer": "aws.s3.BucketRequestPaymentConfiguration",
    "serverSideEncryptionConfiguration": "aws.s3.BucketServerSideEncryptionConfiguration",
    "versioning": "aws.s3.BucketVersioning",
    "website": "aws.s3.BucketWebsiteConfiguration",
}
# The hosted zone of S3's website endpoints: general vendor documentation, not verified.
HOSTED_ZONES = {
    "us-east-1": "Z3AQBSTGFYJSTF",
    "us-east-2": "Z2O1EMRO9K5GLX",
    "us-west-1": "Z2F56UZL2M1ACD",
    "us-west-2": "Z3BJ6K6RIION7M",
    "eu-west-1": "Z1BKCTXD74EZPE",
    "eu-central-1": "Z21DNDUVLTQW6Q",
}


class Bucket(ApiType):
    """`aws.s3.Bucket`."""

    service = "s3"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse the deprecated properties; the types that took their place are emulated."""
        return [
            CheckFailure(name, f"not emulated on the bucket (deprecated by AWS); use {instead}")
            for name, instead in OWN_TYPES.items()
            if name in inputs
        ]

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the bucket, then its policy; names are unique over all of AWS."""
        client, name = self.client(call, inputs), inputs["bucket"]
        region = find_region(call.settings, inputs)
        arguments: dict[str, Any] = {"Bucket": name}
        configuration: Values = {}
        if region != DEFAULT_REGION:
            configuration["LocationConstraint"] = region
        if tags_of(inputs):
            configuration["Tags"] = to_tags(tags_of(inputs))
        if configuration:
            arguments["CreateBucketConfiguration"] = configuration
        if inputs.get("objectLockEnabled"):
            arguments["ObjectLockEnabledForBucket"] = True
        client.create_bucket(**arguments)
        if inputs.get("policy"):
            client.put_bucket_policy(Bucket=name, Policy=inputs["policy"])
        return Created(name, self._outputs(name, inputs, region))

    def _outputs(self, name: str, inputs: Values, region: str) -> Values:
        return {
            "bucket": name,
            "arn": f"arn:aws:s3:::{name}",
            "bucketDomainName": f"{name}.s3.amazonaws.com",
            "bucketRegionalDomainName": f"{name}.s3.{region}.amazonaws.com",
            "bucketRegion": region,
            "hostedZoneId": HOSTED_ZONES.get(region),
            "forceDestroy": inputs.get("forceDestroy", False),
            "objectLockEnabled": inputs.get("objectLockEnabled", False),
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the bucket as it is live."""
        client, name = self.client(call, record.inputs), record.id
        try:
            client.head_bucket(Bucket=name)
        except NotFoundError:
            return None
        outputs = self._outputs(name, record.inputs, find_region(call.settings, record.inputs))
        if record.inputs.get("policy"):
            outputs["policy"] = self._read_policy(client, name, record.inputs["policy"])
        tags = self._read_tags(client, name)
        return {**outputs, **split_live_tags(tags, record.inputs, call)}

    def _read_policy(self, client: Any, name: str, asked: str) -> str | None:
        try:
            live = client.get_bucket_policy(Bucket=name)["Policy"]
        except NotFoundError:
            return ""
        return str(same_document(asked, live))

    def _read_tags(self, client: Any, name: str) -> dict[str, str]:
        try:
            return from_tags(client.get_bucket_tagging(Bucket=name)["TagSet"])
        except NotFoundError:
            return {}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change tags and policy."""
        client, name = self.client(call, new), record.id
        tags = tags_of(new)
        if tags != self._read_tags(client, name):
            if tags:
                client.put_bucket_tagging(Bucket=name, Tagging={"TagSet": to_tags(tags)})
            else:
                client.delete_bucket_tagging(Bucket=name)
        if old.get("policy") != new.get("policy"):
            if new.get("policy"):
                client.put_bucket_policy(Bucket=name, Policy=new["policy"])
            else:
                client.delete_bucket_policy(Bucket=name)
        return self._outputs(name, new, find_region(call.settings, new))

    def delete(self, record: Record, call: Call) -> None:
        """Delete the bucket; refused while it holds objects, unless it is forced."""
        client, name = self.client(call, record.inputs), record.id
        with self.ignore_missing():
            if record.inputs.get("forceDestroy"):
                self._empty(client, name)
            client.delete_bucket(Bucket=name)

    def _empty(self, client: Any, name: str) -> None:
        found = client.list_object_versions(Bucket=name)
        entries = [*found.get("Versions", []), *found.get("DeleteMarkers", [])]
        for entry in entries:
            client.delete_object(Bucket=name, Key=entry["Key"], VersionId=entry["VersionId"])
        if found.get("IsTruncated"):
            self._empty(client, name)

    def adopt(self, id: str, call: Call) -> Values | None:
        """Import a bucket by its name."""
        try:
            self.client(call, {}).head_bucket(Bucket=id)
        except CloudError:
            return None
        return {"bucket": id}
