"""What befalls a Spot Instance that EC2 takes back: its notices, its end, its replacement.

The notices go out and the instance ends at once; on AWS two minutes lie between. Forms of the
events: EC2 user guide, Spot Instance interruption notices and rebalance recommendations; EC2
Instance State-change Notification; read 2026-11-30 as general vendor documentation, not verified.
"""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.corrections.event_delivery import deliver_event

SPOT, RUNNING = "spot", "running"
WARNING = "EC2 Spot Instance Interruption Warning"
REBALANCE = "EC2 Instance Rebalance Recommendation"
STATE_CHANGE = "EC2 Instance State-change Notification"
REASON = "Server.SpotInstanceTermination"


def list_spot_instances(account_id: str) -> list[tuple[str, str, str]]:
    """Return region, group ("-" without one) and id of each running Spot Instance, oldest first.

    Only regions that were touched are looked at.
    """
    from moto.ec2.models import ec2_backends

    backends = ec2_backends[account_id]
    return [
        (region, getattr(getattr(instance, "autoscaling_group", None), "name", "-"), instance.id)
        for region in sorted(backends)
        for instance in backends[region].all_instances()
        if _is_spot(instance)
    ]


def _is_spot(instance: Any) -> bool:
    return instance.state == RUNNING and getattr(instance, "lifecycle", None) == SPOT


def interrupt_instance(account_id: str, region: str, instance_id: str) -> int:
    """Warn of a Spot Instance's end and end it; return how many targets were warned."""
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models import ec2_backends

    backend = ec2_backends[account_id][region]
    instance = backend.get_instance(instance_id)
    if not _is_spot(instance):
        words = f"The instance '{instance_id}' is no running Spot Instance"
        raise EC2ClientError("InvalidInstanceID.NotSpot", words)
    own = f"arn:aws:ec2:{region}:{account_id}:instance/{instance_id}"
    zonal = f"arn:aws:ec2:{instance.placement.zone}:instance/{instance_id}"
    named = {"instance-id": instance_id}
    place = (account_id, region)
    deliver_event(*place, build_event(*place, REBALANCE, own, named))
    warning = build_event(*place, WARNING, zonal, {**named, "instance-action": "terminate"})
    warned = deliver_event(*place, warning)
    _end(backend, instance)
    change = {**named, "state": "terminated"}
    deliver_event(*place, build_event(*place, STATE_CHANGE, own, change))
    return warned


def build_event(
    account_id: str, region: str, kind: str, arn: str, detail: dict[str, str]
) -> dict[str, Any]:
    """Return an event of EC2's as EventBridge delivers it."""
    from moto.core.utils import utcnow
    from moto.moto_api._internal import mock_random

    return {
        "version": "0",
        "id": str(mock_random.uuid4()),
        "detail-type": kind,
        "source": "aws.ec2",
        "account": account_id,
        "time": utcnow().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": region,
        "resources": [arn],
        "detail": detail,
    }


def _end(backend: Any, instance: Any) -> None:
    """Terminate an instance; its group launches another where there is room."""
    backend.terminate_instances([instance.id])
    instance._reason = f"{REASON}: Spot instance termination"  # noqa: SLF001 - moto's own
    group = getattr(instance, "autoscaling_group", None)
    if group is None:
        return
    group.instance_states = [
        state for state in group.instance_states if state.instance is not instance
    ]
    group.set_desired_capacity(group.desired_capacity)
