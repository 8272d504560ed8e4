"""Pulumi components that declare labelled GPU capacity on three clouds."""

from tidegate_components.committed_capacity.component import CommittedCapacity
from tidegate_components.gpu_node_pool.component import GpuNodePool
from tidegate_components.storage_tiers.component import StorageTiers
from tidegate_components.telemetry.component import Telemetry

__all__ = ["CommittedCapacity", "GpuNodePool", "StorageTiers", "Telemetry"]
