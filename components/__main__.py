"""Serves the components to the Pulumi engine, for programs in any language."""

from pulumi.provider.experimental import component_provider_host
from tidegate_components import CommittedCapacity, GpuNodePool, StorageTiers, Telemetry

from tidegate import __version__

if __name__ == "__main__":
    component_provider_host(
        components=[CommittedCapacity, GpuNodePool, StorageTiers, Telemetry],
        name="tidegate",
        version=__version__,
    )
