"""One workspace a module: an `up` of the example takes long enough to be shared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import boto3
import pytest
from azure.mgmt.containerservice import ContainerServiceClient
from google.auth.credentials import AnonymousCredentials
from google.cloud import container_v1
from support.loopback import azure_options
from support.workspace import Workspace, open_workspace

from tidegate.localclouds.lifecycle import stop_local_clouds


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    opened = open_workspace(tmp_path_factory.mktemp("project"))
    yield opened
    stop_local_clouds(opened.root / ".tidegate" / "local")


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


@pytest.fixture(scope="module", name="azure_options")
def offer_azure_options(workspace: Workspace) -> dict[str, Any]:
    """What an azure-mgmt client needs to reach the local cloud."""
    return azure_options(workspace.endpoints.azure_url)


@pytest.fixture(scope="module")
def aks(workspace: Workspace) -> Iterator[ContainerServiceClient]:
    with ContainerServiceClient(**azure_options(workspace.endpoints.azure_url)) as client:
        yield client
