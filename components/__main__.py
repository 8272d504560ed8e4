"""Serves the components to the Pulumi engine, for programs in any language."""

import tidegate_components
from pulumi.provider.experimental import component_provider_host

from tidegate import __version__

if __name__ == "__main__":
    component_provider_host(
        components=[getattr(tidegate_components, name) for name in tidegate_components.__all__],
        name="tidegate",
        version=__version__,
    )
