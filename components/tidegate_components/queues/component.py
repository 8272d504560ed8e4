"""The component `Queues`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate_components.queues.args import QueuesArgs
from tidegate_components.queues.declare import Declaration
from tidegate_components.queues.parse import parse_queues
from tidegate_components.queues.polyaxon import build_polyaxon


class Queues(pulumi.ComponentResource):
    """Queues of one cluster over its pools, for projects that share it.

    Kueue's flavors, queues and priorities follow from the pools; namespaces bound what one
    project may take; Polyaxon's presets let a run ask for a queue and nothing else.
    """

    capacity: dict[str, Any]
    """What the queues add to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """Each queue's id with its names in the cluster."""
    polyaxon: dict[str, Any]
    """The matching definitions for Polyaxon: `queues` and `presets`, as plain values."""

    def __init__(
        self,
        name: str,
        args: QueuesArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the queues.

        Args:
            name: Their id, and the cohort within which they lend and borrow.
            args: Pools, queues and namespaces.
            opts: Pulumi's options; the Kubernetes `provider` of the cluster among them.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_queues(name, args, catalog or load_catalog())
        super().__init__("tidegate:index:Queues", name, None, opts)
        identifiers = Declaration(self, spec, opts).declare()
        self.capacity = spec.to_fragment()
        self.polyaxon = build_polyaxon(spec)
        self.bindings = pulumi.Output.from_input(identifiers)
        self.register_outputs(
            {"capacity": self.capacity, "bindings": self.bindings, "polyaxon": self.polyaxon}
        )
