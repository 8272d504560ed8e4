"""The component `ControllerAccess`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs, require_inputs
from tidegate_components.controller_access.args import ControllerAccessArgs
from tidegate_components.controller_access.parse import parse_access
from tidegate_components.controller_access.spec import AccessSpec

REQUIRED_INPUTS = {
    Cloud.AWS: (),
    Cloud.GCP: ("project",),
    Cloud.AZURE: ("principal_id", "subscription", "pool_scopes"),
}
OPTIONAL_INPUTS = (
    "notice_subscriptions",
    "pod_identity",
    "irsa",
    "principal_arns",
    "workload_identity",
    "federation",
    "queue_scopes",
    "workspace_scopes",
)


class ControllerAccess(pulumi.ComponentResource):
    """The least privilege that the controller needs: it resizes the pools that are named.

    It makes and deletes no pool, and changes nobody's rights.
    """

    capacity: dict[str, Any]
    """What it adds to the capacity manifest: nothing."""
    bindings: pulumi.Output[dict[str, Any]]
    """Its id with the identity that the controller takes on, known after creation."""

    def __init__(
        self,
        name: str,
        args: ControllerAccessArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declare the access.

        Args:
            name: The access's id.
            args: Who gets it, and what it is held to.
            opts: Pulumi's options; they reach the children that they concern.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_access(name, args)
        inputs = gather_access_inputs(spec, args)
        super().__init__("tidegate:index:ControllerAccess", name, None, opts)
        # Only the SDK of the access's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.controller_access.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})


def gather_access_inputs(spec: AccessSpec, args: ControllerAccessArgs) -> dict[str, Any]:
    """Return what may be an Output, by name; what is absent and optional is None.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    cloud = spec.cloud.value
    own = gather_inputs(
        spec.where, cloud, args.get(cloud), REQUIRED_INPUTS[spec.cloud], OPTIONAL_INPUTS
    )
    if spec.cloud is Cloud.AZURE and own["pool_scopes"] == []:
        require_inputs(spec.where, {"azure.pool_scopes": None})
    return own
