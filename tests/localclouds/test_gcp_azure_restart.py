"""A killed server loses nothing that it answered."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tidegate.localclouds.lifecycle import Endpoints, start_local_clouds, stop_local_clouds

PARENT = "/v1/projects/p/locations/us-central1/clusters"
GROUP = "/subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups/ml"
CLUSTER = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters/train"
VERSION = {"api-version": "2025-01-01"}


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    stop_local_clouds(tmp_path)


def kill(endpoints: Endpoints) -> None:
    os.kill(endpoints.pid, signal.SIGKILL)


def test_sizes_set_by_the_faces_survive_kill_9(state: Path) -> None:
    endpoints = start_local_clouds(state)
    google, azure = endpoints.gcp_url, endpoints.azure_url
    cluster = {"name": "train", "initialNodeCount": 1}
    assert httpx.post(f"{google}{PARENT}", json={"cluster": cluster}).status_code == 200
    pool = f"{PARENT}/train/nodePools/default-pool"
    assert httpx.post(f"{google}{pool}:setSize", json={"nodeCount": 4}).status_code == 200
    made = httpx.put(f"{azure}{GROUP}", params=VERSION, json={"location": "westeurope"})
    assert made.status_code == 201
    body = {
        "location": "westeurope",
        "identity": {"type": "SystemAssigned"},
        "properties": {
            "dnsPrefix": "train",
            "agentPoolProfiles": [{"name": "system", "mode": "System", "count": 3}],
        },
    }
    assert httpx.put(f"{azure}{CLUSTER}", params=VERSION, json=body).status_code == 201
    kill(endpoints)
    again = start_local_clouds(state)
    assert again.pid != endpoints.pid
    read = httpx.get(f"{again.gcp_url}{PARENT}/train").json()
    assert read["currentNodeCount"] == 12
    profiles = httpx.get(f"{again.azure_url}{CLUSTER}", params=VERSION).json()["properties"]
    assert [p["count"] for p in profiles["agentPoolProfiles"]] == [3]
    machines = httpx.get(
        f"{again.azure_url}{CLUSTER}/agentPools/system/machines", params=VERSION
    ).json()["value"]
    assert len(machines) == 3


def test_topics_messages_and_grants_survive_kill_9(state: Path) -> None:
    endpoints = start_local_clouds(state)
    google = endpoints.gcp_url
    topic, subscription = "/v1/projects/p/topics/alerts", "/v1/projects/p/subscriptions/inbox"
    assert httpx.put(f"{google}{topic}", json={}).status_code == 200
    body = {"topic": "projects/p/topics/alerts"}
    assert httpx.put(f"{google}{subscription}", json=body).status_code == 200
    grant = {"role": "roles/pubsub.publisher", "members": ["user:a@b.c"]}
    httpx.post(f"{google}{topic}:setIamPolicy", json={"policy": {"bindings": [grant]}})
    httpx.post(f"{google}{topic}:publish", json={"messages": [{"data": "YQ=="}]})
    kill(endpoints)
    again = start_local_clouds(state).gcp_url
    policy = httpx.get(f"{again}{topic}:getIamPolicy").json()
    assert policy["bindings"] == [grant]
    pulled = httpx.post(f"{again}{subscription}:pull", json={"maxMessages": 1}).json()
    assert [item["message"]["data"] for item in pulled["receivedMessages"]] == ["YQ=="]
