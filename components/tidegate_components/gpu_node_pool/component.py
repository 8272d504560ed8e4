"""The component `GpuNodePool`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs, require_inputs
from tidegate_components.gpu_node_pool.args import GpuNodePoolArgs
from tidegate_components.gpu_node_pool.parse import parse_pool
from tidegate_components.gpu_node_pool.spec import PoolSpec

REQUIRED_INPUTS = {
    Cloud.AWS: ("node_role_arn", "subnet_ids"),
    Cloud.GCP: (),
    Cloud.AZURE: ("resource_group_name",),
}
OPTIONAL_INPUTS = ("project", "location", "service_account", "vnet_subnet_id")


class GpuNodePool(pulumi.ComponentResource):
    """A labelled, tainted pool of equal accelerated nodes on EKS, GKE or AKS, from zero nodes up.

    The component's name is the pool's id: the label `capacity-pool` in cloud, bill and report.
    """

    capacity: dict[str, Any]
    """What the pool adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The pool's id with its cloud identifiers, which are known after creation."""

    def __init__(
        self,
        name: str,
        args: GpuNodePoolArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the pool.

        Args:
            name: The pool's id.
            args: What the pool is.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_pool(name, args, catalog or load_catalog())
        inputs = gather_pool_inputs(spec, args)
        super().__init__("tidegate:index:GpuNodePool", name, None, opts)
        # Only the SDK of the pool's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.gpu_node_pool.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})


def gather_pool_inputs(spec: PoolSpec, args: GpuNodePoolArgs) -> dict[str, Any]:
    """Return what may be an Output, by name; what is absent and optional is None.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    shared = {"cluster": args.get("cluster")}
    if spec.is_reserved:
        shared["reservation_target"] = args.get("reservation_target")
    require_inputs(spec.where, shared)
    cloud = spec.cloud.value
    own = gather_inputs(
        spec.where, cloud, args.get(cloud), REQUIRED_INPUTS[spec.cloud], OPTIONAL_INPUTS
    )
    return {**own, **shared}
