"""The component `CpuNodePool`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate_components.cpu_node_pool.args import CpuNodePoolArgs
from tidegate_components.cpu_node_pool.parse import parse_cpu_pool
from tidegate_components.node_pools.declare import declare_pool
from tidegate_components.node_pools.inputs import gather_pool_inputs


class CpuNodePool(pulumi.ComponentResource):
    """A labelled pool of equal plain nodes for preprocessing, feature work and pipelines.

    On EKS, GKE or AKS, from zero nodes up. The component's name is the pool's id: the label
    `capacity-pool` in cloud, bill and report.
    """

    capacity: dict[str, Any]
    """What the pool adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The pool's id with its cloud identifiers, which are known after creation."""

    def __init__(
        self,
        name: str,
        args: CpuNodePoolArgs,
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
        spec = parse_cpu_pool(name, args, catalog or load_catalog())
        inputs = gather_pool_inputs(spec, args)
        super().__init__("tidegate:index:CpuNodePool", name, None, opts)
        self.bindings = declare_pool(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})
