"""The component `TrainingCompute`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs
from tidegate_components.training_compute.args import TrainingComputeArgs
from tidegate_components.training_compute.parse import parse_training
from tidegate_components.training_compute.settings import build_settings
from tidegate_components.training_compute.spec import TrainingSpec

REQUIRED_INPUTS = {
    Cloud.AWS: (),
    Cloud.GCP: (),
    Cloud.AZURE: ("resource_group_name", "workspace_name"),
}
OPTIONAL_INPUTS = ("role_arn", "project", "service_account", "subnet_id")
BOUND = {"role_arn": "role", "project": "project", "service_account": "serviceAccount"}


class TrainingCompute(pulumi.ComponentResource):
    """Training that its cloud runs: nodes come for a job and go after it.

    SageMaker and Vertex have no resource for it: a job is submitted with `settings`. On Azure a
    compute cluster is made.
    """

    capacity: dict[str, Any]
    """What the pool adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The pool's id with its cloud identifiers, which are known after creation."""
    settings: dict[str, Any]
    """What every job is submitted with, in the words of its cloud's own SDK."""

    def __init__(
        self,
        name: str,
        args: TrainingComputeArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the training.

        Args:
            name: The pool's id.
            args: What jobs run on, and how long.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_training(name, args, catalog or load_catalog())
        cloud = spec.cloud.value
        inputs = gather_inputs(
            spec.where,
            cloud,
            args.get(cloud),
            REQUIRED_INPUTS[spec.cloud],
            OPTIONAL_INPUTS,
        )
        super().__init__("tidegate:index:TrainingCompute", name, None, opts)
        self.capacity = spec.to_fragment()
        self.settings = build_settings(spec)
        identifiers = self._declare(spec, inputs, opts)
        self.bindings = pulumi.Output.from_input({name: {"cloud": cloud, **identifiers}})
        self.register_outputs(
            {"capacity": self.capacity, "bindings": self.bindings, "settings": self.settings}
        )

    def _declare(
        self, spec: TrainingSpec, inputs: dict[str, Any], opts: pulumi.ResourceOptions | None
    ) -> dict[str, Any]:
        if spec.cloud is not Cloud.AZURE:
            given = {BOUND[key]: inputs[key] for key in BOUND if inputs[key] is not None}
            return {"region": spec.region, **given}
        # The SDK is imported where something is made with it.
        module = importlib.import_module("tidegate_components.training_compute.azure")
        identifiers: dict[str, Any] = module.declare(self, spec, inputs, opts)
        return identifiers
