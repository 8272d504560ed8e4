"""The component `ExistingPool`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate_components.existing_pool.args import ExistingPoolArgs
from tidegate_components.existing_pool.parse import parse_existing


class ExistingPool(pulumi.ComponentResource):
    """A pool that something else made and owns: it enters the manifest, and nothing is touched.

    The component has no children: nothing is created, imported, changed or deleted.
    """

    capacity: dict[str, Any]
    """What the pool adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The pool's id with its cloud identifiers, as they were given."""

    def __init__(
        self,
        name: str,
        args: ExistingPoolArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """State the pool.

        Args:
            name: The pool's id.
            args: What the pool is.
            opts: Pulumi's options.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_existing(name, args, catalog or load_catalog())
        super().__init__("tidegate:index:ExistingPool", name, None, opts)
        self.capacity = spec.to_fragment()
        own = {"cloud": spec.cloud.value, "region": spec.pool.region, **spec.identifiers}
        self.bindings = pulumi.Output.from_input({name: own})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})
