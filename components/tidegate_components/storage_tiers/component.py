"""The component `StorageTiers`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs
from tidegate_components.storage_tiers.args import StorageTiersArgs
from tidegate_components.storage_tiers.parse import parse_bucket

REQUIRED_INPUTS = {Cloud.AWS: (), Cloud.GCP: (), Cloud.AZURE: ("resource_group_name",)}
OPTIONAL_INPUTS = ("project",)


class StorageTiers(pulumi.ComponentResource):
    """A private bucket for one storage class, whose contents move to cheaper tiers and expire.

    It is the one owner of the bucket's lifecycle.
    """

    capacity: dict[str, Any]
    """What the bucket adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The bucket's id with its cloud identifiers, which are known after creation."""

    def __init__(
        self,
        name: str,
        args: StorageTiersArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the bucket.

        Args:
            name: The bucket's id.
            args: What the bucket is.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_bucket(name, args, catalog or load_catalog())
        own = args.get(spec.cloud.value)
        inputs = gather_inputs(
            spec.where, spec.cloud.value, own, REQUIRED_INPUTS[spec.cloud], OPTIONAL_INPUTS
        )
        super().__init__("tidegate:index:StorageTiers", name, None, opts)
        # Only the SDK of the bucket's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.storage_tiers.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})
