"""One workspace a module: an `up` of the example takes long enough to be shared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import boto3
import pytest
from azure.core.credentials import AccessToken
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.mgmt.containerservice import ContainerServiceClient
from google.auth.credentials import AnonymousCredentials
from google.cloud import container_v1
from support.workspace import Workspace, open_workspace

from tidegate.localclouds.lifecycle import stop_local_clouds

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    opened = open_workspace(tmp_path_factory.mktemp("project"))
    yield opened
    stop_local_clouds(opened.root / ".tidegate" / "local")


class Anyone:
    """A credential for a cloud on this machine, which asks for none."""

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return AccessToken("local", 2**31)


class Loopback(BearerTokenCredentialPolicy):
    """The SDK refuses tokens over plain HTTP; on loopback there is nobody to hide them from."""

    def on_request(self, request: Any) -> None:
        request.context.options["enforce_https"] = False
        super().on_request(request)


@pytest.fixture(scope="module")
def aws(workspace: Workspace) -> Any:
    return partial(
        boto3.client,
        endpoint_url=workspace.endpoints.aws_url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


@pytest.fixture(scope="module")
def gke(workspace: Workspace) -> Iterator[container_v1.ClusterManagerClient]:
    with container_v1.ClusterManagerClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": workspace.endpoints.gcp_url},
    ) as client:
        yield client


@pytest.fixture(scope="module")
def azure_options(workspace: Workspace) -> dict[str, Any]:
    """What an azure-mgmt client needs to reach the local cloud."""
    return {
        "credential": Anyone(),
        "subscription_id": SUBSCRIPTION,
        "base_url": workspace.endpoints.azure_url,
        "authentication_policy": Loopback(Anyone(), "local"),
        "polling_interval": 0,
    }


@pytest.fixture(scope="module")
def aks(azure_options: dict[str, Any]) -> Iterator[ContainerServiceClient]:
    with ContainerServiceClient(**azure_options) as client:
        yield client
