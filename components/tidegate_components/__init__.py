"""Pulumi components that declare labelled GPU capacity on three clouds."""

from tidegate_components.committed_capacity.component import CommittedCapacity
from tidegate_components.controller.component import Controller
from tidegate_components.controller_access.component import ControllerAccess
from tidegate_components.cost_budget.component import CostBudget
from tidegate_components.cpu_node_pool.component import CpuNodePool
from tidegate_components.existing_pool.component import ExistingPool
from tidegate_components.gpu_node_pool.component import GpuNodePool
from tidegate_components.inference_capacity.component import InferenceCapacity
from tidegate_components.notebooks.component import Notebooks
from tidegate_components.queues.component import Queues
from tidegate_components.spot_group.component import SpotGroup
from tidegate_components.storage_tiers.component import StorageTiers
from tidegate_components.telemetry.component import Telemetry
from tidegate_components.training_compute.component import TrainingCompute

__all__ = [
    "CommittedCapacity",
    "Controller",
    "ControllerAccess",
    "CostBudget",
    "CpuNodePool",
    "ExistingPool",
    "GpuNodePool",
    "InferenceCapacity",
    "Notebooks",
    "Queues",
    "SpotGroup",
    "StorageTiers",
    "Telemetry",
    "TrainingCompute",
]
