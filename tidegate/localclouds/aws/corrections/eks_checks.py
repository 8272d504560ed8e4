"""What EKS refuses: roles, subnets and sizes that are not there or contradict each other."""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.corrections.offerings import explain_unoffered

MAXIMUM_TAINTS = 50
MINIMUM_ZONES = 2


def _refuse(message: str) -> Exception:
    from moto.eks.exceptions import InvalidParameterException

    return InvalidParameterException(message=message)


def _ec2(account_id: str, region: str) -> Any:
    from moto.ec2.models import ec2_backends

    return ec2_backends[account_id][region]


def check_role(arn: str, account_id: str, region: str) -> None:  # noqa: ARG001 - IAM is global
    """Refuse a role that does not exist."""
    from moto.iam.models import iam_backends

    roles = iam_backends[account_id]["aws"].roles.values()
    if all(role.arn != arn for role in roles):
        raise _refuse(
            f"Role with arn: {arn}, could not be assumed because it does not exist or the "
            "trusted entity is not correct"
        )


def check_network(network: dict[str, Any], account_id: str, region: str) -> str:
    """Refuse subnets that are missing or share one zone; return their VPC."""
    subnets = find_subnets(network.get("subnetIds") or [], account_id, region)
    zones = {subnet.availability_zone for subnet in subnets}
    if len(zones) < MINIMUM_ZONES:
        raise _refuse("Subnets specified must be in at least two different AZs")
    return str(subnets[0].vpc_id)


def find_subnets(ids: list[str], account_id: str, region: str) -> list[Any]:
    """Return the subnets, or refuse naming those that do not exist."""
    known = _ec2(account_id, region).subnets
    flat = {key: subnet for zone in known.values() for key, subnet in zone.items()}
    missing = [key for key in ids if key not in flat]
    if missing:
        raise _refuse(f"The subnet ID '{missing[0]}' does not exist")
    return [flat[key] for key in ids]


def check_scaling(scaling: dict[str, Any]) -> None:
    """Refuse sizes that contradict each other, in EKS's words."""
    low, high = scaling.get("minSize"), scaling.get("maxSize")
    desired = scaling.get("desiredSize", low)
    if low is not None and high is not None and low > high:
        raise _refuse(f"Minimum capacity {low} can't be greater than max size {high}")
    if desired is not None and low is not None and desired < low:
        raise _refuse(f"Minimum capacity {low} can't be greater than desired size {desired}")
    if desired is not None and high is not None and desired > high:
        raise _refuse(f"desired capacity {desired} can't be greater than max size {high}")


def check_node_group(backend: Any, asked: dict[str, Any]) -> None:
    """Refuse a node group that EKS would refuse."""
    account_id, region = backend.account_id, backend.region_name
    check_role(asked["node_role"], account_id, region)
    subnets = find_subnets(asked.get("subnets") or [], account_id, region)
    if asked.get("scaling_config"):
        check_scaling(asked["scaling_config"])
    if len(asked.get("taints") or []) > MAXIMUM_TAINTS:
        raise _refuse(f"Too many taints: at most {MAXIMUM_TAINTS} are allowed")
    template = asked.get("launch_template")
    data = _find_template_data(template, account_id, region) if template else {}
    if asked.get("instance_types") and data.get("InstanceType"):
        raise _refuse("Cannot specify instance types in launch template and API request")
    types = asked.get("instance_types") or [data.get("InstanceType")]
    zones = [subnet.availability_zone for subnet in subnets]
    for instance_type in filter(None, types):
        reason = explain_unoffered(instance_type, region, zones)
        if reason:
            raise _refuse(reason)


def _find_template_data(template: dict[str, str], account_id: str, region: str) -> dict[str, Any]:
    from moto.ec2.exceptions import EC2ClientError

    backend = _ec2(account_id, region)
    try:
        if template.get("id"):
            found = backend.get_launch_template(template["id"])
        else:
            found = backend.get_launch_template_by_name(template["name"])
        version = found.get_version(template.get("version", "$Default"))
    except (EC2ClientError, KeyError) as error:
        name = template.get("id") or template.get("name")
        raise _refuse(f"Launch template details can't be null: {name} does not exist") from error
    data: dict[str, Any] = version.data
    return data
