"""The component `Telemetry`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs
from tidegate_components.telemetry.args import TelemetryArgs
from tidegate_components.telemetry.collector import render_collector
from tidegate_components.telemetry.parse import parse_stream

REQUIRED_INPUTS = {
    Cloud.AWS: (),
    Cloud.GCP: ("project",),
    Cloud.AZURE: ("resource_group_name",),
}
OPTIONAL_INPUTS = ("alarm_actions", "notification_channels")


class Telemetry(pulumi.ComponentResource):
    """A telemetry stream that keeps what it takes for a stated time, never for ever by default.

    A CloudWatch log group, a Cloud Logging log bucket, or a Log Analytics workspace with a table.
    """

    capacity: dict[str, Any]
    """What the stream adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The stream's id with its cloud identifiers, which are known after creation."""
    collector: dict[str, Any]
    """Settings of an OpenTelemetry Collector and of Prometheus that hold exclusions, sampling and
    the metric budget, and who else does."""

    def __init__(
        self,
        name: str,
        args: TelemetryArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the stream.

        Args:
            name: The stream's id.
            args: What the stream is.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: The catalog to check against; the shipped one when absent.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_stream(name, args, catalog or load_catalog())
        own = args.get(spec.cloud.value)
        inputs = gather_inputs(
            spec.where, spec.cloud.value, own, REQUIRED_INPUTS[spec.cloud], OPTIONAL_INPUTS
        )
        super().__init__("tidegate:index:Telemetry", name, None, opts)
        # Only the SDK of the stream's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.telemetry.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.collector = render_collector(spec)
        self.register_outputs(
            {
                "capacity": self.capacity,
                "bindings": self.bindings,
                "collector": self.collector,
            }
        )
