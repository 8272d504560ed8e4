"""The component `InferenceCapacity`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import require_inputs
from tidegate_components.commitments.declare import declare_commitment
from tidegate_components.inference_capacity.args import InferenceCapacityArgs
from tidegate_components.inference_capacity.parse import parse_endpoint
from tidegate_components.inference_capacity.spec import EndpointSpec, SageMakerTarget, TargetKind

MODULES = {
    TargetKind.SAGEMAKER: "aws",
    TargetKind.VERTEX: "gcp",
    TargetKind.AZURE_ML: "azure",
    TargetKind.KUBERNETES: "kubernetes",
}
REQUIRED = {
    TargetKind.SAGEMAKER: (),
    TargetKind.VERTEX: (),
    TargetKind.AZURE_ML: ("workspace_name", "model_id"),
    TargetKind.KUBERNETES: ("image",),
}


class InferenceCapacity(pulumi.ComponentResource):
    """What serves a model: a committed base, an elastic top, and a way down to nothing.

    Commitments are protected and kept on deletion, so a replacement, which would buy again, is
    refused by the engine.
    """

    capacity: dict[str, Any]
    """What endpoint and commitment add to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The endpoint's id with its cloud identifiers, which are known after creation."""
    reservation_target: pulumi.Output[str]
    """What the pool takes as its `reservation_target`; empty where nothing holds machines."""

    def __init__(
        self,
        name: str,
        args: InferenceCapacityArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare commitment and scaling target.

        Args:
            name: The endpoint's id.
            args: What serves, and what was agreed to.
            opts: Pulumi's options; they reach the children that they concern. A Deployment's
                Kubernetes provider is among `providers`.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_endpoint(name, args, catalog or load_catalog())
        inputs = gather_endpoint_inputs(spec, args)
        super().__init__("tidegate:index:InferenceCapacity", name, None, opts)
        bound: dict[str, dict[str, Any]] = {}
        self.reservation_target = pulumi.Output.from_input("")
        cloud = spec.cloud.value
        if spec.commitment:
            target, bought = declare_commitment(self, spec.commitment, inputs, opts)
            self.reservation_target = target
            bound[spec.commitment.id] = {"cloud": cloud, **bought}
        # Only the SDK of the target's own cloud is imported.
        module = importlib.import_module(
            f"tidegate_components.inference_capacity.{MODULES[spec.target.kind]}"
        )
        identifiers = module.declare(self, spec, inputs, opts)
        bound[name] = {**bound.get(name, {}), "cloud": cloud, **identifiers}
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input(bound)
        self.register_outputs(
            {
                "capacity": self.capacity,
                "bindings": self.bindings,
                "reservation_target": self.reservation_target,
            }
        )


def gather_endpoint_inputs(spec: EndpointSpec, args: InferenceCapacityArgs) -> dict[str, Any]:
    """Return what may be an Output, by name; what is absent and optional is None.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    kind = spec.target.kind.value
    own: dict[str, Any] = dict(args.get(kind) or {})  # type: ignore[call-overload]
    required = {f"{kind}.{key}": own.get(key) for key in REQUIRED[spec.target.kind]}
    if isinstance(spec.target, SageMakerTarget) and spec.target.hosts_components:
        required["sagemaker.execution_role_arn"] = own.get("execution_role_arn")
    group = (args.get("azure") or {}).get("resource_group_name")
    buys_on_azure = spec.commitment is not None and spec.commitment.is_bought
    if spec.cloud is Cloud.AZURE and (buys_on_azure or spec.target.kind is TargetKind.AZURE_ML):
        required["azure.resource_group_name"] = group
    require_inputs(spec.where, required)
    project = (args.get("gcp") or {}).get("project")
    return {**own, "resource_group_name": group, "project": project}
