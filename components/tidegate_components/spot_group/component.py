"""The component `SpotGroup`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs, require_inputs
from tidegate_components.spot_group.args import SpotGroupArgs
from tidegate_components.spot_group.parse import parse_spot_group
from tidegate_components.spot_group.spec import SpotSpec

REQUIRED_INPUTS = {
    Cloud.AWS: ("subnet_ids",),
    Cloud.GCP: ("subnetwork",),
    Cloud.AZURE: ("resource_group_name", "subnet_id", "ssh_public_key"),
}
OPTIONAL_INPUTS = (
    "security_group_ids",
    "instance_profile_arn",
    "project",
    "service_account",
    "resource_manager_tags",
    "subscription",
    "system_topic_name",
    "system_topic_resource_group",
)


class SpotGroup(pulumi.ComponentResource):
    """Diversified spot machines from zero up, the first of them on demand, with a queue of notices.

    The component's name is the pool's id: the label `capacity-pool` in cloud, bill and report.
    """

    capacity: dict[str, Any]
    """What the group adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The pool's id with its cloud identifiers, which are known after creation: the group, and the
    queue of its interruption notices."""

    def __init__(
        self,
        name: str,
        args: SpotGroupArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the group.

        Args:
            name: The pool's id.
            args: What the group is.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_spot_group(name, args, catalog or load_catalog())
        inputs = gather_group_inputs(spec, args)
        super().__init__("tidegate:index:SpotGroup", name, None, opts)
        # Only the SDK of the group's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.spot_group.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})


def gather_group_inputs(spec: SpotSpec, args: SpotGroupArgs) -> dict[str, Any]:
    """Return what may be an Output, by name; what is absent and optional is None.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    cloud = spec.cloud.value
    own = gather_inputs(
        spec.where, cloud, args.get(cloud), REQUIRED_INPUTS[spec.cloud], OPTIONAL_INPUTS
    )
    shared = {"image": args.get("image"), "startup_script": args.get("startup_script")}
    require_inputs(spec.where, {"image": shared["image"]})
    if spec.cloud is Cloud.AZURE and own["system_topic_name"] is None:
        require_inputs(spec.where, {"azure.subscription": own["subscription"]})
    return {**own, **shared}
