"""An Azure Machine Learning workspace and what Azure wants beside it; declared when one is used."""

from __future__ import annotations

from typing import Any

from tidegate.sdks.imports import narrow_imports

EXPECTED_GIB_PER_MONTH = "20"
"""What the workspace's insights take in, by the label that the telemetry budget adds up."""

COOL_AFTER_DAYS = 90
"""Outputs of runs, and models that endpoints load from here, are read long after they are made:
they move to a cheaper class and are never deleted by age."""


def declare_workspace(name: str, group: Any, identity: Any, labels: dict[str, str]) -> Any:
    """Declare the workspace with its storage, vault and insights; return the workspace.

    Args:
        name: What it is called.
        group: The resource group that holds it.
        identity: A managed identity; tells the tenant of the vault.
        labels: The cost labels of all of it.
    """
    with narrow_imports(
        "pulumi_azure_native.applicationinsights",
        "pulumi_azure_native.keyvault",
        "pulumi_azure_native.machinelearningservices",
        "pulumi_azure_native.operationalinsights",
        "pulumi_azure_native.storage",
    ):
        from pulumi_azure_native.applicationinsights.component import Component
        from pulumi_azure_native.keyvault.vault import Vault
        from pulumi_azure_native.machinelearningservices.workspace import Workspace
        from pulumi_azure_native.operationalinsights.workspace import Workspace as LogWorkspace
        from pulumi_azure_native.storage.management_policy import ManagementPolicy
        from pulumi_azure_native.storage.storage_account import StorageAccount
    place: Any = {"resource_group_name": group.name, "location": group.location, "tags": labels}
    # Names of both are unique over all of Azure: Pulumi completes them. They take 24 characters.
    short = "".join(filter(str.isalnum, name))[:14]
    store = StorageAccount(
        f"{short}ml",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        allow_blob_public_access=False,
        minimum_tls_version="TLS1_2",
        **place,
    )
    ManagementPolicy(
        f"{name}-ml",
        management_policy_name="default",  # an account has one, and it is called so
        account_name=store.name,
        resource_group_name=group.name,
        policy={"rules": [build_ageing_rule()]},
    )
    vault = Vault(
        f"{short}ml",
        properties={
            "tenant_id": identity.tenant_id,
            "sku": {"family": "A", "name": "standard"},
            "enable_rbac_authorization": True,
        },
        **place,
    )
    expected = {"expected-gib-per-month": EXPECTED_GIB_PER_MONTH}
    logs = LogWorkspace(
        f"{name}-ml",
        retention_in_days=30,
        sku={"name": "PerGB2018"},
        **{**place, "tags": {**labels, **expected}},
    )
    insights = Component(
        f"{name}-ml",
        resource_name_=f"{name}-ml",
        kind="web",
        application_type="web",
        workspace_resource_id=logs.id,
        **place,
    )
    return Workspace(
        f"{name}-ml",
        workspace_name=f"{name}-ml",
        identity={"type": "SystemAssigned"},
        storage_account=store.id,
        key_vault=vault.id,
        application_insights=insights.id,
        public_network_access="Disabled",
        **place,
    )


def build_ageing_rule() -> Any:
    """Return the lifecycle rule of the workspace's storage: what nobody changed becomes cool."""
    since = {"days_after_modification_greater_than": COOL_AFTER_DAYS}
    return {
        "name": "artifacts",
        "enabled": True,
        "type": "Lifecycle",
        "definition": {
            "actions": {"base_blob": {"tier_to_cool": since}},
            "filters": {"blob_types": ["blockBlob"]},
        },
    }
