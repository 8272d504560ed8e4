"""What kept resources refer to, looked up in moto: roles, subnets, security groups, topics."""

from __future__ import annotations

from collections.abc import Iterable

from tidegate.localclouds.aws.kept.calls import Asked
from tidegate.localclouds.refusals import CloudError

INVALID = "ValidationException"


def require_role(asked: Asked, arn: str | None) -> None:
    """Refuse an IAM role that does not exist."""
    from moto.iam.models import iam_backends

    if arn is None:
        return
    roles = iam_backends[asked.account]["aws"].roles.values()
    if all(role.arn != arn for role in roles):
        raise CloudError(INVALID, f"Could not assume role {arn}. Please ensure that it exists.")


def require_principal(asked: Asked, arn: str) -> None:
    """Refuse an IAM principal that does not exist."""
    from moto.iam.models import iam_backends

    backend = iam_backends[asked.account]["aws"]
    known = {role.arn for role in backend.roles.values()}
    known |= {user.arn for user in backend.users.values()}
    if arn not in known and not arn.endswith(":root"):
        words = "The specified principalArn is invalid: invalid principal."
        raise CloudError("InvalidParameterException", words)


def require_network(
    asked: Asked, subnets: Iterable[str], groups: Iterable[str], vpc: str | None = None
) -> None:
    """Refuse a VPC, subnets or security groups that do not exist."""
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models import ec2_backends

    backend = ec2_backends[asked.account][asked.region]
    known = {key for zone in backend.subnets.values() for key in zone}
    for subnet in subnets:
        if subnet not in known:
            raise CloudError(INVALID, f"The subnet ID '{subnet}' does not exist")
    try:
        if vpc is not None:
            backend.get_vpc(vpc)
    except EC2ClientError as error:
        raise CloudError(INVALID, f"The vpc ID '{vpc}' does not exist") from error
    for group in groups:
        if backend.get_security_group_from_id(group) is None:
            raise CloudError(INVALID, f"The security group '{group}' does not exist")


def require_topic(asked: Asked, arn: str) -> None:
    """Refuse an SNS topic that does not exist."""
    from moto.sns.models import sns_backends

    region = arn.split(":")[3] if arn.count(":") >= 5 else ""
    topics = sns_backends[asked.account][region].topics if region else {}
    if arn not in topics:
        raise CloudError(INVALID, f"The SNS topic {arn} does not exist")
