"""IAM roles that AWS services take on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports

VERSION = "2012-10-17"


def declare_role(name: str, service: str, policies: Sequence[str], labels: dict[str, str]) -> Any:
    """Declare a role of an AWS service with policies that AWS keeps."""
    with narrow_imports("pulumi_aws.iam"):
        from pulumi_aws.iam.role import Role
        from pulumi_aws.iam.role_policy_attachment import RolePolicyAttachment
    trust = {
        "Version": VERSION,
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": f"{service}.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    role = Role(name, assume_role_policy=json.dumps(trust), tags=labels)
    for policy in policies:
        RolePolicyAttachment(
            f"{name}-{policy}",
            role=role.name,
            policy_arn=f"arn:aws:iam::aws:policy/{policy}",
            opts=pulumi.ResourceOptions(parent=role),
        )
    return role


def declare_sagemaker_role(name: str, labels: dict[str, str]) -> Any:
    """Declare the role of notebooks, training jobs and endpoints.

    It lets a notebook stop itself, and models and images be pulled; what data the work may read is
    for you to add.
    """
    with narrow_imports("pulumi_aws.iam"):
        from pulumi_aws.iam.policy import Policy
        from pulumi_aws.iam.role_policy_attachment import RolePolicyAttachment
    role = declare_role(name, "sagemaker", ("AmazonEC2ContainerRegistryReadOnly",), labels)
    document = {
        "Version": VERSION,
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["sagemaker:DescribeNotebookInstance", "sagemaker:StopNotebookInstance"],
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:ResourceTag/managed-by": "tidegate"}},
            }
        ],
    }
    stop = Policy(
        f"{name}-stop",
        policy=json.dumps(document),
        tags=labels,
        opts=pulumi.ResourceOptions(parent=role),
    )
    RolePolicyAttachment(
        f"{name}-stop",
        role=role.name,
        policy_arn=stop.arn,
        opts=pulumi.ResourceOptions(parent=role),
    )
    return role
