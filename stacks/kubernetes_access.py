"""The Kubernetes provider of a cluster: who runs `pulumi` calls it as the cloud's own tools do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports

EXEC_VERSION = "client.authentication.k8s.io/v1beta1"


def declare_provider(
    name: str,
    server: pulumi.Input[str],
    certificate: pulumi.Input[str],
    command: Sequence[str],
) -> Any:
    """Declare the provider.

    Args:
        name: What it is called.
        server: The URL of the cluster's API.
        certificate: The certificate authority of that, in base64.
        command: The program, with its arguments, that prints a token.
    """
    kubeconfig = pulumi.Output.all(server, certificate).apply(
        lambda known: render_kubeconfig(name, known[0], known[1], command)
    )
    return declare_provider_of(name, kubeconfig)


def declare_provider_of(name: str, kubeconfig: pulumi.Input[str]) -> Any:
    """Declare the provider of a kubeconfig."""
    with narrow_imports("pulumi_kubernetes"):
        from pulumi_kubernetes.provider import Provider
    return Provider(name, kubeconfig=kubeconfig)


def render_kubeconfig(name: str, server: str, certificate: str, command: Sequence[str]) -> str:
    """Return a kubeconfig of one cluster as JSON, which is YAML too."""
    program, *arguments = command
    execute = {"apiVersion": EXEC_VERSION, "command": program, "args": arguments}
    cluster = {"server": server, "certificate-authority-data": certificate}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"exec": {**execute, "interactiveMode": "Never"}}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    return json.dumps(document)
