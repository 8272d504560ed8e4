"""What moto gets wrong or lacks, put right for boto3 and for the provider alike.

Each module says of one service what AWS does, and puts methods onto moto's own classes: state
stays in moto's backends, and a replay of the journal goes the same way. Facts of moto 5.2.5.
"""

from __future__ import annotations

from tidegate.localclouds.aws.corrections.autoscaling import correct_autoscaling
from tidegate.localclouds.aws.corrections.budgets import correct_budgets
from tidegate.localclouds.aws.corrections.capacity import correct_capacity_reservations
from tidegate.localclouds.aws.corrections.capacity_blocks import correct_capacity_blocks
from tidegate.localclouds.aws.corrections.ec2 import correct_instances
from tidegate.localclouds.aws.corrections.eks import correct_eks
from tidegate.localclouds.aws.corrections.group_settings import correct_group_settings
from tidegate.localclouds.aws.corrections.launch_targets import correct_launch_targets
from tidegate.localclouds.aws.corrections.logs import correct_logs
from tidegate.localclouds.aws.corrections.networks import correct_networks
from tidegate.localclouds.aws.corrections.placement_groups import correct_placement_groups
from tidegate.localclouds.aws.corrections.s3 import correct_s3
from tidegate.localclouds.aws.corrections.topics import correct_topics


def correct_moto() -> None:
    """Apply every correction, once a process and before moto answers anything."""
    correct_launch_targets()
    correct_instances()
    correct_networks()
    correct_capacity_reservations()
    correct_capacity_blocks()
    correct_placement_groups()
    correct_autoscaling()
    correct_group_settings()
    correct_eks()
    correct_s3()
    correct_logs()
    correct_budgets()
    correct_topics()
