"""Azure as the server runs it: behaviours by type, and the REST face."""

from __future__ import annotations

from werkzeug.exceptions import NotFound

from tidegate.localclouds.contracts import Cloud, World


def build_azure_cloud(world: World) -> Cloud:  # noqa: ARG001 - no type needs it yet
    """Build the Azure half of one server process over the shared store."""
    return Cloud(package="azure-native", behaviours={}, face=NotFound())
