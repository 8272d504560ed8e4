"""Azure Storage: what its types fill in, make and refuse."""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm, Logic, fingerprint_of
from tidegate.localclouds.azure.arm_checks import refuse_changes
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, now, parse_id
from tidegate.localclouds.azure.kinds import (
    BLOB_SERVICE,
)
from tidegate.localclouds.azure.storage_rules import uses_last_access
from tidegate.localclouds.bodies import Body, fill_defaults, look

TAKEN_NAME = "Microsoft.Storage/checkNameAvailability"
ENDPOINTS = ("blob", "dfs", "file", "queue", "table", "web")

# What Azure Storage never changes. immutableStorageWithVersioning: "immutable and can only be set
# to true at creation" (property description in pulumi-azure-native 3.29.0); isHnsEnabled: the
# provider replaces the account for it; the others: general vendor documentation, not verified.
FIXED_IN_ACCOUNTS = (
    "dnsEndpointType",
    "encryption.requireInfrastructureEncryption",
    "immutableStorageWithVersioning.enabled",
    "isHnsEnabled",
    "isNfsV3Enabled",
)
FIXED_IN_CONTAINERS = (
    "defaultEncryptionScope",
    "denyEncryptionScopeOverride",
    "immutableStorageWithVersioning.enabled",
)


class StorageAccountLogic(Logic):
    """`Microsoft.Storage/storageAccounts`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a name that is taken anywhere, and fill the account in."""
        self._check_taken(arm, id)
        if old is not None and old["kind"] != body.get("kind") != "StorageV2":
            raise refused(
                "AccountPropertyCannotBeUpdated",
                f"The property 'kind' cannot be changed from {old['kind']} to {body.get('kind')}.",
                409,
            )
        refuse_changes(old, body, FIXED_IN_ACCOUNTS)
        fill_defaults(
            body["properties"],
            {
                "allowBlobPublicAccess": False,
                "creationTime": now(),
                "encryption": {
                    "keySource": "Microsoft.Storage",
                    "services": {
                        word: {"enabled": True, "keyType": "Account"} for word in ("blob", "file")
                    },
                },
                "minimumTlsVersion": "TLS1_2",
                "networkAcls": {
                    "bypass": "AzureServices",
                    "defaultAction": "Allow",
                    "ipRules": [],
                    "virtualNetworkRules": [],
                },
                "primaryEndpoints": {
                    word: f"https://{id.name}.{word}.core.windows.net/" for word in ENDPOINTS
                },
                "primaryLocation": body["location"],
                "statusOfPrimary": "available",
                "supportsHttpsTrafficOnly": True,
            },
        )
        if body.get("kind") in ("StorageV2", "BlobStorage"):
            fill_defaults(body["properties"], {"accessTier": "Hot"})
        tier = "Premium" if body["sku"]["name"].startswith("Premium") else "Standard"
        body["sku"] = {**body["sku"], "tier": tier}

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Take the name in all of Azure."""
        del body, is_new
        arm.shelf.put(TAKEN_NAME, id.name.lower(), {"id": id.key})

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Give the name back."""
        del body
        arm.shelf.delete(TAKEN_NAME, id.name.lower())

    def _check_taken(self, arm: Arm, id: ArmId) -> None:
        taken = arm.shelf.get(TAKEN_NAME, id.name.lower())
        # The account may have gone with its resource group.
        if taken and taken["id"] != id.key and arm.find(parse_id(taken["id"])) is not None:
            raise refused(
                "StorageAccountAlreadyTaken",
                f"The storage account named {id.name} is already taken.",
                409,
            )


class BlobServiceLogic(Logic):
    """`Microsoft.Storage/storageAccounts/blobServices`: every account has its "default"."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse to stop tracking what lifecycle rules ask for, and fill the service in."""
        del old
        _fill_blob_service(arm, id, body)
        policy = arm.find(id.parent().child("managementPolicies", "default"))
        if policy and uses_last_access(policy) and not _tracks_access(body):
            raise refused(
                "LastAccessTimeTrackingInUse",
                "Last access time tracking cannot be turned off while a lifecycle rule uses it.",
                409,
            )

    def implied(self, arm: Arm, id: ArmId) -> Body | None:
        """Return the untouched service of an account that exists."""
        if id.name != "default" or arm.find(id.parent()) is None:
            return None
        body: Body = {
            "id": str(id),
            "name": "default",
            "type": BLOB_SERVICE.type,
            "properties": {},
        }
        _fill_blob_service(arm, id, body)
        return body


def _fill_blob_service(arm: Arm, id: ArmId, body: Body) -> None:
    account = arm.find(id.parent())
    body["sku"] = account["sku"] if account else None
    body["properties"].pop("provisioningState", None)
    fill_defaults(
        body["properties"],
        {"cors": {"corsRules": []}, "deleteRetentionPolicy": {"enabled": False}},
    )


def _tracks_access(service: Body | None) -> bool:
    return look(service, "properties.lastAccessTimeTrackingPolicy.enable") is True


class BlobContainerLogic(Logic):
    """`…/blobServices/containers`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse public access that the account forbids, and fill the container in."""
        properties = body["properties"]
        access = properties.get("publicAccess")
        account = arm.find(id.parent().parent())
        if access not in (None, "None") and not look(account, "properties.allowBlobPublicAccess"):
            raise refused(
                "PublicAccessNotPermitted",
                "Public access is not permitted on this storage account.",
                409,
            )
        refuse_changes(old, body, FIXED_IN_CONTAINERS)
        properties.pop("provisioningState", None)
        fill_defaults(
            properties,
            {
                "defaultEncryptionScope": "$account-encryption-key",
                "denyEncryptionScopeOverride": False,
                "hasImmutabilityPolicy": False,
                "hasLegalHold": False,
                "lastModifiedTime": now(),
                "leaseState": "Available",
                "leaseStatus": "Unlocked",
                "publicAccess": "None",
            },
        )
        body["etag"] = f'"0x{fingerprint_of(body)[:16].upper()}"'


class ManagementPolicyLogic(Logic):
    """`…/managementPolicies`: an account has one, called "default"."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse another name, and rules that ask for tracking that is off."""
        del old
        if id.name != "default":
            raise refused(
                "ManagementPolicyNotFound",
                f"No ManagementPolicy named '{id.name}': the only name there is is 'default'.",
                404,
            )
        service = arm.find(id.parent().child("blobServices", "default"))
        if uses_last_access(body) and not _tracks_access(service):
            raise refused(
                "LastAccessTimeTrackingNotEnabled",
                "A rule uses daysAfterLastAccessTimeGreaterThan, and last access time tracking is "
                "not enabled for the account's blob service.",
                409,
            )
        body["properties"].pop("provisioningState", None)
        body["properties"]["lastModifiedTime"] = now()
