"""The component `Notebooks`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate_components.arguments import gather_inputs
from tidegate_components.notebooks.args import NotebooksArgs
from tidegate_components.notebooks.parse import parse_notebook
from tidegate_components.notebooks.spec import NotebookKind

REQUIRED_INPUTS = {
    NotebookKind.NOTEBOOK_INSTANCE: ("role_arn",),
    NotebookKind.STUDIO: ("role_arn",),
    NotebookKind.WORKBENCH: (),
    NotebookKind.COMPUTE_INSTANCE: ("resource_group_name", "workspace_name"),
}
OF_A_DOMAIN = ("vpc_id", "subnet_ids")
OPTIONAL_INPUTS = (
    "subnet_id",
    "security_group_ids",
    "domain_id",
    *OF_A_DOMAIN,
    "project",
    "network",
    "subnetwork",
    "service_account",
    "owner",
)


class Notebooks(pulumi.ComponentResource):
    """An interactive machine that stops by itself when nobody works on it."""

    capacity: dict[str, Any]
    """What the notebook adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The notebook's id with its cloud identifiers, which are known after creation."""

    def __init__(
        self,
        name: str,
        args: NotebooksArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the notebook.

        Args:
            name: The notebook's id.
            args: What it is, and when it stops.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_notebook(name, args, catalog or load_catalog())
        own: dict[str, Any] = dict(args.get(spec.cloud.value) or {})  # type: ignore[call-overload]
        required = REQUIRED_INPUTS[spec.kind]
        if spec.kind is NotebookKind.STUDIO and own.get("domain_id") is None:
            required = (*required, *OF_A_DOMAIN)
        inputs = gather_inputs(spec.where, spec.cloud.value, own, required, OPTIONAL_INPUTS)
        super().__init__("tidegate:index:Notebooks", name, None, opts)
        # Only the SDK of the notebook's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.notebooks.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})
