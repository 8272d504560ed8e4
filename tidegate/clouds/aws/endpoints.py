"""Sizes of SageMaker endpoints: instances of a variant, or copies of an inference component.

Sources: SageMaker API reference, UpdateEndpointWeightsAndCapacities and
UpdateInferenceComponentRuntimeConfig (read 2026-11-30). A variant with a model of its own keeps one
instance; one with inference components, or with asynchronous answers, goes to none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.clouds.aws.refusals import refusing
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState

CALLS = {
    "describe_endpoint": "sagemaker:DescribeEndpoint",
    "describe_inference_component": "sagemaker:DescribeInferenceComponent",
    "update_endpoint_weights_and_capacities": "sagemaker:UpdateEndpointWeightsAndCapacities",
    "update_inference_component_runtime_config": (
        "sagemaker:UpdateInferenceComponentRuntimeConfig"
    ),
}
"""Each method of the SDK that is called here → the action that the controller's role must allow."""

PHASES = {
    "InService": ReapablePhase.RUNNING,
    "Creating": ReapablePhase.CHANGING,
    "Updating": ReapablePhase.CHANGING,
    "SystemUpdating": ReapablePhase.CHANGING,
    "RollingBack": ReapablePhase.CHANGING,
    "Deleting": ReapablePhase.CHANGING,
}
"""Status of an endpoint or component → phase; what is absent has failed."""


class EndpointVariant:
    """One production variant of an endpoint, sized by its instances."""

    def __init__(self, key: str, endpoint: str, variant: str, sagemaker: Any) -> None:
        self.key = key
        self._endpoint, self._variant = endpoint, variant
        self._sagemaker = sagemaker

    def fetch_state(self) -> ReapableState:
        """Return the instances that the variant works towards."""
        with refusing(f"reading endpoint {self._endpoint}"):
            found = self._sagemaker.describe_endpoint(EndpointName=self._endpoint)
            variant = self._find_variant(found)
        size = int(variant.get("DesiredInstanceCount", variant.get("CurrentInstanceCount", 0)))
        return ReapableState(
            id=self.key,
            phase=settle_phase(found["EndpointStatus"], size),
            size=size,
            smallest=_smallest(found, variant),
            since=found.get("LastModifiedTime"),
        )

    def apply_size(self, wanted: int) -> None:
        """Set the instances of the variant; its weight stays."""
        with refusing(f"sizing variant {self._variant} of endpoint {self._endpoint}"):
            self._sagemaker.update_endpoint_weights_and_capacities(
                EndpointName=self._endpoint,
                DesiredWeightsAndCapacities=[
                    {"VariantName": self._variant, "DesiredInstanceCount": wanted}
                ],
            )

    def apply_removal(self) -> None:
        """Refuse: an endpoint without its variant is another endpoint."""
        text = "a variant of SageMaker is no deployment that can be taken away and put back"
        raise CloudRefused(RefusalKind.INVALID, text)

    def _find_variant(self, found: Mapping[str, Any]) -> Mapping[str, Any]:
        for variant in found.get("ProductionVariants", ()):
            if variant["VariantName"] == self._variant:
                return dict(variant)
        text = f"endpoint {self._endpoint} has no variant {self._variant}"
        raise CloudRefused(RefusalKind.NOT_FOUND, text)


class InferenceComponent:
    """One inference component, sized by its copies."""

    def __init__(self, key: str, name: str, sagemaker: Any) -> None:
        self.key = key
        self._name = name
        self._sagemaker = sagemaker

    def fetch_state(self) -> ReapableState:
        """Return the copies that the component works towards."""
        with refusing(f"reading inference component {self._name}"):
            found = self._sagemaker.describe_inference_component(InferenceComponentName=self._name)
        size = int((found.get("RuntimeConfig") or {}).get("DesiredCopyCount", 0))
        return ReapableState(
            id=self.key,
            phase=settle_phase(found["InferenceComponentStatus"], size),
            size=size,
            since=found.get("LastModifiedTime"),
        )

    def apply_size(self, wanted: int) -> None:
        """Set the copies; at none the instances go by managed instance scaling."""
        with refusing(f"sizing inference component {self._name}"):
            self._sagemaker.update_inference_component_runtime_config(
                InferenceComponentName=self._name, DesiredRuntimeConfig={"CopyCount": wanted}
            )

    def apply_removal(self) -> None:
        """Set no copies: the component itself stays and costs nothing."""
        self.apply_size(0)


def settle_phase(status: str, size: int) -> ReapablePhase:
    """Return the phase of a status; what runs with nothing is stopped."""
    phase = PHASES.get(status, ReapablePhase.FAILED)
    return ReapablePhase.STOPPED if phase is ReapablePhase.RUNNING and not size else phase


def _smallest(endpoint: Mapping[str, Any], variant: Mapping[str, Any]) -> int:
    managed = variant.get("ManagedInstanceScaling") or {}
    if "AsyncInferenceConfig" in endpoint:
        return 0
    if managed.get("Status") == "ENABLED":
        return int(managed.get("MinInstanceCount", 1))
    return 1
