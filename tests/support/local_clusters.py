"""Clusters of the local clouds that a project of the real CLI declared, by the official client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubernetes import client, config
from typer.testing import CliRunner

from tidegate.cli.local import app


def open_clusters(project: Any, contexts: Mapping[str, str]) -> dict[str, client.ApiClient]:
    """Return a client for each cluster of a project, by the names of `contexts`."""
    done = CliRunner().invoke(app, ["kubeconfig", "--state-dir", str(project.state)])
    assert done.exit_code == 0, done.stderr
    clients = {}
    for name, context in contexts.items():
        settings = client.Configuration()
        config.load_kube_config(
            str(project.state / "kubeconfig"), context=context, client_configuration=settings
        )
        clients[name] = client.ApiClient(settings)
    return clients


def settle_clouds(project: Any) -> None:
    """Make a stack, and tell it where each cloud's resources go."""
    project.run("stack", "init", "dev")
    for key, value in {
        "aws:region": "us-east-1",
        "gcp:project": "acme-ml",
        "azure-native:subscriptionId": "11111111-2222-3333-4444-555555555555",
    }.items():
        project.run("config", "set", key, value)
