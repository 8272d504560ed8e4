"""A tiered bucket on Blob Storage: an account of its own, because a policy rules an account."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import STORAGE_ACCOUNT, derive_name
from tidegate_components.storage_tiers.spec import BucketSpec, Tiering

with narrow_imports("pulumi_azure_native.storage"):
    from pulumi_azure_native.storage._enums import AccessTier, PublicAccess
    from pulumi_azure_native.storage.blob_container import BlobContainer
    from pulumi_azure_native.storage.blob_service_properties import BlobServiceProperties
    from pulumi_azure_native.storage.management_policy import ManagementPolicy
    from pulumi_azure_native.storage.storage_account import StorageAccount

ACTIONS = {"Cool": "tier_to_cool", "Cold": "tier_to_cold", "Archive": "tier_to_archive"}


def declare(
    parent: pulumi.ComponentResource,
    spec: BucketSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare account, service settings, container and policy; return the identifiers."""
    group = inputs["resource_group_name"]
    if spec.existing:
        _declare_policy(parent, spec, (spec.existing, group), (), opts)
        return {"storageAccount": spec.existing, "resourceGroup": group, "region": spec.region}
    account = StorageAccount(
        derive_name(spec.id, STORAGE_ACCOUNT),
        account_name=spec.cloud_name or None,
        resource_group_name=group,
        location=spec.region,
        kind="StorageV2",
        sku={"name": spec.redundancy},
        access_tier=AccessTier.HOT,
        allow_blob_public_access=False,
        minimum_tls_version="TLS1_2",
        enable_https_traffic_only=True,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, StorageAccount, named=STORAGE_ACCOUNT),
    )
    by_access = spec.tiering is Tiering.ACCESS
    service = BlobServiceProperties(
        spec.id,
        account_name=account.name,
        resource_group_name=group,
        blob_services_name="default",
        is_versioning_enabled=spec.versioned,
        # Rules by last access find nothing unless access is tracked.
        last_access_time_tracking_policy={"enable": True} if by_access else None,
        delete_retention_policy=_soft_delete(spec),
        container_delete_retention_policy=_soft_delete(spec),
        opts=child_options(parent, opts, BlobServiceProperties),
    )
    container = BlobContainer(
        spec.id,
        container_name=container_name(spec),
        account_name=account.name,
        resource_group_name=group,
        public_access=PublicAccess.NONE,
        # Another id never names another container: it would be an empty one.
        opts=child_options(parent, opts, BlobContainer, ignore=["containerName"]),
    )
    _declare_policy(parent, spec, (account.name, group), (service,), opts, container.name)
    return {
        "storageAccount": account.name,
        "container": container.name,
        "resourceGroup": group,
        "region": spec.region,
    }


def _declare_policy(
    parent: pulumi.ComponentResource,
    spec: BucketSpec,
    place: tuple[pulumi.Input[str], pulumi.Input[str]],
    after: tuple[pulumi.Resource, ...],
    opts: pulumi.ResourceOptions | None,
    container: pulumi.Input[str] = "",
) -> None:
    """Declare the account's one policy; `place` is the account and its resource group."""
    account, group = place
    ManagementPolicy(
        spec.id,
        management_policy_name="default",  # another name answers 404 (azure-native#1336)
        account_name=account,
        resource_group_name=group,
        policy={"rules": build_rules(spec, container)},
        opts=child_options(parent, opts, ManagementPolicy, depends_on=after),
    )


def _soft_delete(spec: BucketSpec) -> Any:
    days = spec.soft_delete_days
    return {"enabled": True, "days": days} if days else {"enabled": False}


def container_name(spec: BucketSpec) -> str:
    """Return the container's name; Azure wants at least three characters."""
    return spec.id if len(spec.id) >= 3 else f"{spec.id}-data"


def build_rules(spec: BucketSpec, container: pulumi.Input[str]) -> list[Any]:
    """Return one rule for each prefix, and one for snapshots and old versions."""
    rules: list[Any] = []
    for prefix in spec.prefixes:
        chosen: dict[str, Any] = {"blob_types": ["blockBlob"]}
        if prefix:
            # An account that exists has containers of its own, which prefixes begin with.
            place = prefix if spec.existing else pulumi.Output.concat(container, "/", prefix)
            chosen["prefix_match"] = [place]
        name = f"objects-{prefix.strip('/').replace('/', '-')}" if prefix else "objects"
        rules.append(_rule(name, chosen, {"base_blob": _base_blob(spec, prefix)}))
    since = "days_after_creation_greater_than"
    ageing: dict[str, Any] = {
        ACTIONS[rule.storage_class]: {since: rule.age_days} for rule in spec.old.tiers
    }
    ageing["delete"] = {since: spec.old.expire_days}
    actions = {"snapshot": ageing, **({"version": ageing} if spec.versioned else {})}
    rules.append(_rule("old-versions", {"blob_types": ["blockBlob"]}, actions))
    return rules


def _base_blob(spec: BucketSpec, prefix: str) -> dict[str, Any]:
    since = "days_after_modification_greater_than"
    if spec.tiering is Tiering.ACCESS:
        since = "days_after_last_access_time_greater_than"
    actions: dict[str, Any] = {
        ACTIONS[rule.storage_class]: {since: rule.age_days} for rule in spec.tiers(prefix)
    }
    expiry = spec.expiry(prefix)
    if expiry is not None:
        actions["delete"] = {"days_after_modification_greater_than": expiry}
    return actions


def _rule(name: str, chosen: dict[str, Any], actions: dict[str, Any]) -> dict[str, Any]:
    definition = {"actions": actions, "filters": chosen}
    return {"name": name, "enabled": True, "type": "Lifecycle", "definition": definition}
