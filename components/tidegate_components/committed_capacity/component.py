"""The component `CommittedCapacity`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs
from tidegate_components.commitments.declare import declare_commitment
from tidegate_components.committed_capacity.args import CommittedCapacityArgs
from tidegate_components.committed_capacity.parse import parse_reservation

REQUIRED_INPUTS = {Cloud.AWS: (), Cloud.GCP: (), Cloud.AZURE: ("resource_group_name",)}
OPTIONAL_INPUTS = ("project",)


class CommittedCapacity(pulumi.ComponentResource):
    """What is reserved or committed to, and paid for whether used or not, until a day.

    Every resource is protected and kept on deletion, so a replacement, which would buy again, is
    refused by the engine.
    """

    capacity: dict[str, Any]
    """What the reservation adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The reservation's id with its cloud identifiers, which are known after creation."""
    reservation_target: pulumi.Output[str]
    """What a reserved pool takes as its `reservation_target`; empty where it holds no machines."""

    def __init__(
        self,
        name: str,
        args: CommittedCapacityArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the reservation.

        Args:
            name: The reservation's id.
            args: What is reserved, and what was agreed to.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_reservation(name, args, catalog or load_catalog())
        own = args.get(spec.cloud.value)
        required = REQUIRED_INPUTS[spec.cloud] if spec.is_bought else ()
        inputs = gather_inputs(spec.where, spec.cloud.value, own, required, OPTIONAL_INPUTS)
        super().__init__("tidegate:index:CommittedCapacity", name, None, opts)
        target, identifiers = declare_commitment(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.reservation_target = target
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs(
            {
                "capacity": self.capacity,
                "bindings": self.bindings,
                "reservation_target": self.reservation_target,
            }
        )
