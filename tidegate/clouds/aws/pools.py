"""Sizes of EKS managed node groups and EC2 Auto Scaling groups.

A managed node group's nodes are those of the Auto Scaling group behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tidegate.clouds.aws.refusals import classify_activity, refusing
from tidegate.vocabulary.fleet_state import (
    CloudRefused,
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
    Shortfall,
)

CALLS = {
    "describe_auto_scaling_groups": "autoscaling:DescribeAutoScalingGroups",
    "describe_scaling_activities": "autoscaling:DescribeScalingActivities",
    "describe_nodegroup": "eks:DescribeNodegroup",
    "set_desired_capacity": "autoscaling:SetDesiredCapacity",
    "update_nodegroup_config": "eks:UpdateNodegroupConfig",
    "terminate_instance_in_auto_scaling_group": ("autoscaling:TerminateInstanceInAutoScalingGroup"),
}
"""Each method of the SDK that is called here → the action that the controller's role must allow."""

PHASES = {
    "Pending": MachinePhase.STARTING,
    "InService": MachinePhase.RUNNING,
    "Terminating": MachinePhase.LEAVING,
    "Terminated": MachinePhase.LEAVING,
    "Detaching": MachinePhase.LEAVING,
    "Detached": MachinePhase.LEAVING,
    "EnteringStandby": MachinePhase.STOPPED,
    "Standby": MachinePhase.STOPPED,
}
"""Life-cycle state of an instance, before its first colon → phase."""
RECENT_ACTIVITIES = 5


class ScalingGroup:
    """One Auto Scaling group."""

    can_choose = True

    def __init__(self, pool: str, name: str, autoscaling: Any) -> None:
        self.pool = pool
        self._name = name
        self._autoscaling = autoscaling

    def fetch_state(self) -> PoolState:
        """Return the group's desired capacity and its instances."""
        with refusing(f"reading Auto Scaling group {self._name}"):
            group = self._read()
            machines = tuple(_build_machine(each) for each in group["Instances"])
            short = group["DesiredCapacity"] > len(machines)
            shortfall = self._explain_shortfall() if short else None
        return PoolState(self.pool, group["DesiredCapacity"], machines, shortfall)

    def apply_size(self, wanted: int) -> None:
        """Set the desired capacity."""
        with refusing(f"resizing Auto Scaling group {self._name}"):
            self._autoscaling.set_desired_capacity(
                AutoScalingGroupName=self._name, DesiredCapacity=wanted, HonorCooldown=False
            )

    def apply_removal(self, machines: Sequence[str]) -> None:
        """End instances and lower the desired capacity by each."""
        for machine in machines:
            try:
                with refusing(f"ending {machine} of Auto Scaling group {self._name}"):
                    self._autoscaling.terminate_instance_in_auto_scaling_group(
                        InstanceId=machine, ShouldDecrementDesiredCapacity=True
                    )
            except CloudRefused as refusal:
                if refusal.kind is not RefusalKind.NOT_FOUND:
                    raise

    def _read(self) -> Mapping[str, Any]:
        found = self._autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=[self._name])
        groups: list[Mapping[str, Any]] = found["AutoScalingGroups"]
        if not groups:
            text = f"Auto Scaling group {self._name} is not there"
            raise CloudRefused(RefusalKind.NOT_FOUND, text)
        return groups[0]

    def _explain_shortfall(self) -> Shortfall | None:
        """Return why the last attempt to start an instance failed; None when it did not."""
        activities = self._autoscaling.describe_scaling_activities(
            AutoScalingGroupName=self._name, MaxRecords=RECENT_ACTIVITIES
        )["Activities"]
        for activity in activities:  # newest first
            if activity["StatusCode"] == "Failed":
                return classify_activity(activity.get("StatusMessage", ""))
            if activity["StatusCode"] == "Successful":
                return None
        return None


class NodeGroup(ScalingGroup):
    """One managed node group; its size is set through EKS, which owns the group behind it."""

    def __init__(
        self, pool: str, names: Mapping[str, str], autoscaling: Any, eks: Any, group: str
    ) -> None:
        super().__init__(pool, group, autoscaling)
        self._eks = eks
        self._names = {"clusterName": names["cluster"], "nodegroupName": names["nodeGroup"]}

    def apply_size(self, wanted: int) -> None:
        """Set the desired size of the node group."""
        with refusing(f"resizing node group {self._names['nodegroupName']}"):
            self._eks.update_nodegroup_config(**self._names, scalingConfig={"desiredSize": wanted})


def find_group(names: Mapping[str, str], eks: Any) -> str:
    """Return the Auto Scaling group behind a managed node group.

    Raises:
        CloudRefused: It cannot be read, or has none yet.
    """
    if "autoScalingGroup" in names:
        return names["autoScalingGroup"]
    with refusing(f"reading node group {names['nodeGroup']}"):
        found = eks.describe_nodegroup(
            clusterName=names["cluster"], nodegroupName=names["nodeGroup"]
        )["nodegroup"]
    groups = (found.get("resources") or {}).get("autoScalingGroups") or []
    if not groups:
        text = f"node group {names['nodeGroup']} has no Auto Scaling group"
        raise CloudRefused(RefusalKind.NOT_FOUND, text)
    return str(groups[0]["name"])


def _build_machine(instance: Mapping[str, Any]) -> Machine:
    phase = PHASES.get(instance["LifecycleState"].split(":")[0], MachinePhase.STARTING)
    if phase is MachinePhase.RUNNING and instance["HealthStatus"].upper() == "UNHEALTHY":
        phase = MachinePhase.FAILED
    return Machine(
        id=instance["InstanceId"],
        phase=phase,
        zone=instance["AvailabilityZone"],
        instance_type=instance.get("InstanceType", ""),
    )
