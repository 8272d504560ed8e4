"""S3: what is set on a bucket by a type of its own."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from tidegate.localclouds.aws.api_type import ApiType
from tidegate.localclouds.aws.convert import from_response, from_structure, to_request
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

MINIMUM_IA_DAYS = 30
IA_CLASSES = frozenset({"STANDARD_IA", "ONEZONE_IA"})


class BucketSetting(ApiType):
    """One configuration of one bucket: put whole, read whole, deleted whole."""

    service = "s3"
    structure: ClassVar[str]
    """The API's structure that holds it."""
    argument: ClassVar[str]
    """The put operation's argument for it; also the get operation's answer, unless unwrapped."""
    operation: ClassVar[str]
    """The end of the operations' names: put_X, get_X, delete_X."""
    unwrapped: ClassVar[bool] = False
    """Whether the get operation answers the structure's members at its top level."""
    deletion: ClassVar[str] = ""
    """The delete operation, where it is not delete_X."""

    def to_api(self, inputs: Values, client: Any) -> Values:
        """Return the structure for the inputs."""
        structure: Values = to_request(client.shape(self.structure), inputs)
        return structure

    def from_api(self, answer: Values, call: Call) -> Values:
        """Return the properties for the API's structure."""
        return from_structure(load_schema(call.type_token).inputs, answer)

    def extra_arguments(self, inputs: Values) -> Values:
        """Return further arguments of the put operation."""
        return {}

    def keys(self, record_or_inputs: Values) -> Values:
        """Return the arguments that name the configuration."""
        return {"Bucket": record_or_inputs["bucket"]}

    def identify(self, inputs: Values) -> str:
        """Return the resource's id."""
        return str(inputs["bucket"])

    def create(self, inputs: Values, call: Call) -> Created:
        """Put the configuration on a bucket that exists."""
        self._put(inputs, call)
        return Created(self.identify(inputs), self._read(inputs, call) or {})

    def _put(self, inputs: Values, call: Call) -> None:
        client = self.client(call, inputs)
        put = getattr(client, f"put_{self.operation}")
        structure = self.to_api(inputs, client)
        put(**self.keys(inputs), **{self.argument: structure}, **self.extra_arguments(inputs))

    def _read(self, inputs: Values, call: Call) -> Values | None:
        get = getattr(self.client(call, inputs), f"get_{self.operation}")
        try:
            answer = get(**self.keys(inputs))
        except NotFoundError:
            return None
        return self.from_api(answer if self.unwrapped else answer.get(self.argument, {}), call)

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the configuration as it is live."""
        live = self._read(record.inputs, call)
        return None if live is None else {**record.outputs, **live}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Put the configuration anew."""
        self._put(new, call)
        return self._read(new, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Take the configuration off the bucket."""
        delete = getattr(
            self.client(call, record.inputs), self.deletion or f"delete_{self.operation}"
        )
        with self.ignore_missing():
            delete(**self.keys(record.inputs))


class BucketVersioning(BucketSetting):
    """`aws.s3.BucketVersioning`. It cannot be taken off: deleting it suspends versioning."""

    structure = "VersioningConfiguration"
    argument = "VersioningConfiguration"
    operation = "bucket_versioning"
    unwrapped = True

    def to_api(self, inputs: Values, client: Any) -> Values:
        """Return status and MFA deletion."""
        configuration = inputs["versioningConfiguration"]
        structure: Values = to_request(client.shape(self.structure), configuration)
        return {key: value for key, value in structure.items() if value != "Disabled"}

    def from_api(self, answer: Values, call: Call) -> Values:
        """Return the status; one that was never set is "Disabled"."""
        form = load_schema(call.type_token).inputs.properties["versioningConfiguration"]
        return {"versioningConfiguration": {"status": "Disabled", **from_response(form, answer)}}

    def delete(self, record: Record, call: Call) -> None:
        """Suspend versioning."""
        client = self.client(call, record.inputs)
        suspended = {"Status": "Suspended"}
        with self.ignore_missing():
            client.put_bucket_versioning(
                Bucket=record.inputs["bucket"], VersioningConfiguration=suspended
            )


class BucketLifecycle(BucketSetting):
    """`aws.s3.BucketLifecycleConfiguration`."""

    structure = "BucketLifecycleConfiguration"
    argument = "LifecycleConfiguration"
    operation = "bucket_lifecycle_configuration"
    unwrapped = True
    deletion = "delete_bucket_lifecycle"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse what S3 refuses: early moves to infrequent access, expiry before a move."""
        rules = inputs.get("rules") or []
        if not isinstance(rules, list):
            return
        for index, rule in enumerate(rules):
            if rule is not UNKNOWN:
                yield from _check_rule(f"rules[{index}]", rule)

    def to_api(self, inputs: Values, client: Any) -> Values:
        """Return the rules; one without a filter applies to the whole bucket."""
        structure: Values = to_request(client.shape(self.structure), {"rules": inputs["rules"]})
        for rule in structure["Rules"]:
            if "Prefix" not in rule and not rule.get("Filter"):
                rule["Filter"] = {"Prefix": ""}
        return structure

    def extra_arguments(self, inputs: Values) -> Values:
        """Return the smallest size of objects that move."""
        size = inputs.get("transitionDefaultMinimumObjectSize")
        return {"TransitionDefaultMinimumObjectSize": size} if size else {}


def _check_rule(place: str, rule: Values) -> Iterable[CheckFailure]:
    transitions = [part for part in rule.get("transitions") or [] if part is not UNKNOWN]
    for index, transition in enumerate(transitions):
        days, tier = transition.get("days"), transition.get("storageClass")
        if tier in IA_CLASSES and isinstance(days, int) and days < MINIMUM_IA_DAYS:
            yield CheckFailure(
                f"{place}.transitions[{index}].days",
                f"InvalidArgument: 'Days' in Transition action must be greater than or equal to "
                f"{MINIMUM_IA_DAYS} for storageClass '{tier}', got {days}",
            )
    expiration = rule.get("expiration")
    expiry = expiration.get("days") if isinstance(expiration, dict) else None
    last = max((t["days"] for t in transitions if isinstance(t.get("days"), int)), default=None)
    if isinstance(expiry, int) and last is not None and expiry <= last:
        yield CheckFailure(
            f"{place}.expiration.days",
            f"InvalidArgument: 'Days' in the Expiration action must be greater than 'Days' in "
            f"the Transition action ({last}), got {expiry}",
        )


class BucketTiering(BucketSetting):
    """`aws.s3.BucketIntelligentTieringConfiguration`."""

    structure = "IntelligentTieringConfiguration"
    argument = "IntelligentTieringConfiguration"
    operation = "bucket_intelligent_tiering_configuration"

    def to_api(self, inputs: Values, client: Any) -> Values:
        """Return the configuration; several conditions go under "And"."""
        structure: Values = to_request(
            client.shape(self.structure),
            {
                "id": inputs["name"],
                "status": inputs.get("status", "Enabled"),
                "tierings": inputs["tierings"],
            },
        )
        asked = inputs.get("filter")
        return {**structure, **({"Filter": _to_filter(asked)} if asked else {})}

    def from_api(self, answer: Values, call: Call) -> Values:
        """Return status, tierings and filter."""
        live = super().from_api(answer, call)
        condition = answer.get("Filter") or {}
        both = condition.get("And") or condition
        tags = both.get("Tags") or ([both["Tag"]] if both.get("Tag") else [])
        parts = {
            "prefix": both.get("Prefix"),
            "tags": {tag["Key"]: tag["Value"] for tag in tags},
        }
        shown = {key: value for key, value in parts.items() if value}
        return {**live, "name": answer["Id"], "filter": shown or None}

    def keys(self, record_or_inputs: Values) -> Values:
        """Return bucket and configuration id."""
        return {"Bucket": record_or_inputs["bucket"], "Id": record_or_inputs["name"]}

    def identify(self, inputs: Values) -> str:
        """Return "bucket:name"."""
        return f"{inputs['bucket']}:{inputs['name']}"


def _to_filter(asked: Values) -> Values:
    prefix = asked.get("prefix")
    tags = [{"Key": key, "Value": value} for key, value in (asked.get("tags") or {}).items()]
    if prefix and not tags:
        return {"Prefix": prefix}
    if len(tags) == 1 and not prefix:
        return {"Tag": tags[0]}
    return {"And": {**({"Prefix": prefix} if prefix else {}), "Tags": tags}}


class BucketPublicAccessBlock(BucketSetting):
    """`aws.s3.BucketPublicAccessBlock`."""

    structure = "PublicAccessBlockConfiguration"
    argument = "PublicAccessBlockConfiguration"
    operation = "public_access_block"

    def to_api(self, inputs: Values, client: Any) -> Values:
        """Return the four switches; those left out are off."""
        names = (
            "blockPublicAcls",
            "ignorePublicAcls",
            "blockPublicPolicy",
            "restrictPublicBuckets",
        )
        switches = {name: inputs.get(name, False) for name in names}
        structure: Values = to_request(client.shape(self.structure), switches)
        return structure


class BucketEncryption(BucketSetting):
    """`aws.s3.BucketServerSideEncryptionConfiguration`."""

    structure = "ServerSideEncryptionConfiguration"
    argument = "ServerSideEncryptionConfiguration"
    operation = "bucket_encryption"

    def to_api(self, inputs: Values, client: Any) -> Values:
        """Return the rules with the API's names."""
        structure: Values = to_request(
            client.shape(self.structure), {"rules": inputs["rules"]}, self.aliases
        )
        return structure

    def from_api(self, answer: Values, call: Call) -> Values:
        """Return the rules with Pulumi's names."""
        return from_structure(load_schema(call.type_token).inputs, answer, self.aliases)

    aliases: ClassVar = {"kmsMasterKeyId": "KMSMasterKeyID", "sseAlgorithm": "SSEAlgorithm"}
