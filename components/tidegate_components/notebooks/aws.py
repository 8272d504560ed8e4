"""A notebook on SageMaker: an instance that watches itself, or a Studio user."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import SAGEMAKER_NAME, derive_name
from tidegate_components.notebooks.lifecycle import encode_script
from tidegate_components.notebooks.spec import NotebookKind, NotebookSpec

with narrow_imports("pulumi_aws.sagemaker"):
    from pulumi_aws.sagemaker.domain import Domain
    from pulumi_aws.sagemaker.notebook_instance import NotebookInstance
    from pulumi_aws.sagemaker.notebook_instance_lifecycle_configuration import (
        NotebookInstanceLifecycleConfiguration,
    )
    from pulumi_aws.sagemaker.user_profile import UserProfile

PLATFORM = "notebook-al2023-v1"


def declare(
    parent: pulumi.ComponentResource,
    spec: NotebookSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the notebook and return its cloud identifiers."""
    if spec.kind is NotebookKind.STUDIO:
        return _declare_studio(parent, spec, inputs, opts)
    return _declare_instance(parent, spec, inputs, opts)


def _declare_instance(
    parent: pulumi.ComponentResource,
    spec: NotebookSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    name = derive_name(spec.id, SAGEMAKER_NAME)
    lifecycle = NotebookInstanceLifecycleConfiguration(
        name,
        region=spec.region,
        on_start=encode_script(
            spec.own_idle_seconds, spec.own_max_age_seconds, reports=spec.stopped_by_tidegate
        ),
        tags=spec.cost_labels,
        opts=child_options(
            parent, opts, NotebookInstanceLifecycleConfiguration, named=SAGEMAKER_NAME
        ),
    )
    private = inputs["subnet_id"] is not None
    notebook = NotebookInstance(
        name,
        region=spec.region,
        role_arn=inputs["role_arn"],
        instance_type=spec.instance_type,
        platform_identifier=PLATFORM,
        lifecycle_config_name=lifecycle.name,
        volume_size=spec.disk_gib,
        subnet_id=inputs["subnet_id"],
        security_groups=inputs["security_group_ids"],
        direct_internet_access="Disabled" if private else "Enabled",
        # Whoever is root can switch the idle shutdown off.
        root_access="Disabled",
        instance_metadata_service_configuration={"minimum_instance_metadata_service_version": "2"},
        tags=spec.cost_labels,
        opts=child_options(parent, opts, NotebookInstance, named=SAGEMAKER_NAME),
    )
    return {"notebookInstance": notebook.name, "arn": notebook.arn, "region": spec.region}


def _declare_studio(
    parent: pulumi.ComponentResource,
    spec: NotebookSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    settings = _build_settings(spec, inputs)
    domain_id = inputs["domain_id"]
    name = derive_name(spec.id, SAGEMAKER_NAME)
    if domain_id is None:
        domain_id = Domain(
            name,
            region=spec.region,
            domain_name=name,
            auth_mode="IAM",
            vpc_id=inputs["vpc_id"],
            subnet_ids=inputs["subnet_ids"],
            default_user_settings=settings,
            # What users start inherits the cost labels.
            tag_propagation="ENABLED",
            tags=spec.cost_labels,
            # Another id would be another domain, without anybody's work.
            opts=child_options(parent, opts, Domain, ignore=["domainName"], named=SAGEMAKER_NAME),
        ).id
    profile = UserProfile(
        name,
        region=spec.region,
        domain_id=domain_id,
        user_profile_name=name,
        user_settings=settings,
        tags=spec.cost_labels,
        opts=child_options(
            parent, opts, UserProfile, ignore=["userProfileName"], named=SAGEMAKER_NAME
        ),
    )
    return {"domain": domain_id, "userProfile": profile.user_profile_name, "region": spec.region}


def _build_settings(spec: NotebookSpec, inputs: dict[str, Any]) -> Any:
    """Return a user's settings: the idle time, which users cannot make longer."""
    idle = {
        "app_lifecycle_management": {
            "idle_settings": {
                "lifecycle_management": "ENABLED",
                "idle_timeout_in_minutes": spec.idle_minutes,
                "max_idle_timeout_in_minutes": spec.idle_minutes,
            }
        }
    }
    machine = {"default_resource_spec": {"instance_type": spec.instance_type}}
    return {
        "execution_role": inputs["role_arn"],
        "security_groups": inputs["security_group_ids"],
        "jupyter_lab_app_settings": {**machine, **idle},
        "code_editor_app_settings": {**machine, **idle},
        "space_storage_settings": {
            "default_ebs_storage_settings": {
                "default_ebs_volume_size_in_gb": spec.disk_gib,
                "maximum_ebs_volume_size_in_gb": spec.disk_gib,
            }
        },
    }
