"""Replicas of Vertex AI endpoints: of a shared resource pool, or of each model deployed.

Sources: discovery document aiplatform.v1 (read 2026-11-30). `minReplicaCount` is at least 1, so an
endpoint goes to nothing only by undeploying its models. Between minimum and maximum Vertex sizes by
itself: the minimum is what is set here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tidegate.clouds.gcp.refusals import explain, refusing
from tidegate.clouds.gcp.services import execute
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState

CALLS = {
    "get": ("aiplatform.endpoints.get", "aiplatform.deploymentResourcePools.get"),
    "mutateDeployedModel": "aiplatform.endpoints.deploy",
    "undeployModel": "aiplatform.endpoints.undeploy",
    "patch": "aiplatform.deploymentResourcePools.update",
}
"""Each method that is called here → the permissions that it needs."""

SMALLEST = 1
LEAST = "dedicatedResources.minReplicaCount"


class VertexEndpoint:
    """One endpoint, with the machines of the models that are deployed to it."""

    def __init__(self, key: str, endpoint: str, pool: str, vertex: Any) -> None:
        """Name it.

        Args:
            key: What it is called here.
            endpoint: Its full resource name.
            pool: The deployment resource pool's; empty where models have machines of their own.
            vertex: The client of Vertex AI.
        """
        self.key = key
        self._endpoint, self._pool = endpoint, pool
        self._locations = vertex.projects().locations()

    def fetch_state(self) -> ReapableState:
        """Return the least replicas over all models; without a model there are no machines."""
        with refusing(f"reading endpoint {self._endpoint}"):
            found = self._read()
            models = found.get("deployedModels", [])
            sizes = [_least(model) for model in models if "dedicatedResources" in model]
            if self._pool and any("sharedResources" in model for model in models):
                sizes.append(_least(self._read_pool()))
        moments = [model["createTime"] for model in models if "createTime" in model]
        newest = max(map(datetime.fromisoformat, moments), default=None)
        return ReapableState(
            id=self.key,
            phase=ReapablePhase.RUNNING if models else ReapablePhase.STOPPED,
            size=sum(sizes),
            smallest=SMALLEST * len(sizes),
            since=newest,
        )

    def apply_size(self, wanted: int) -> None:
        """Set the least replicas, shared out evenly over what has machines of its own.

        Raises:
            CloudRefused: INVALID below one replica for each, which Vertex does not have.
        """
        with refusing(f"sizing endpoint {self._endpoint}"):
            models = self._read().get("deployedModels", [])
            own = [model["id"] for model in models if "dedicatedResources" in model]
            shared = bool(self._pool) and any("sharedResources" in model for model in models)
            parts = len(own) + shared
            if wanted < parts or not parts:
                text = f"Vertex keeps at least one replica for each of {parts} deployments"
                raise CloudRefused(RefusalKind.INVALID, text)
            each = wanted // parts
            for model in own:
                _is_done(execute(self._mutate(model, each)))
            if shared:
                _is_done(execute(self._resize_pool(wanted - each * len(own))))

    def apply_removal(self) -> None:
        """Undeploy the models, one after the other; the endpoint and its address stay.

        Vertex undeploys one at a time: what it still works at is followed up at the next look.
        """
        with refusing(f"undeploying the models of endpoint {self._endpoint}"):
            models = [model["id"] for model in self._read().get("deployedModels", [])]
            for position, model in enumerate(models):
                operation = execute(self._undeploy(model, models[position + 1 :]))
                if not _is_done(operation):
                    return

    def _read(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = execute(self._locations.endpoints().get(name=self._endpoint))
        return found

    def _read_pool(self) -> Mapping[str, Any]:
        pools = self._locations.deploymentResourcePools()
        found: Mapping[str, Any] = execute(pools.get(name=self._pool))
        return found

    def _mutate(self, model: str, least: int) -> Any:
        body = {
            "deployedModel": {"id": model, "dedicatedResources": {"minReplicaCount": least}},
            "updateMask": LEAST,
        }
        return self._locations.endpoints().mutateDeployedModel(endpoint=self._endpoint, body=body)

    def _resize_pool(self, least: int) -> Any:
        body = {"name": self._pool, "dedicatedResources": {"minReplicaCount": least}}
        pools = self._locations.deploymentResourcePools()
        return pools.patch(name=self._pool, updateMask=LEAST, body=body)

    def _undeploy(self, model: str, others: Sequence[str]) -> Any:
        # A model that gets traffic is let go only once another takes it, or none is left.
        split = {others[-1]: 100} if others else {}
        body = {"deployedModelId": model, "trafficSplit": split}
        return self._locations.endpoints().undeployModel(endpoint=self._endpoint, body=body)


def _is_done(operation: Mapping[str, Any]) -> bool:
    """Return whether an operation has ended.

    Raises:
        CloudRefused: It ended by an error.
    """
    if "error" in operation:
        text = str(operation["error"].get("message", operation["error"]))
        told = explain(text)
        raise CloudRefused(told.kind if told else RefusalKind.TRANSIENT, text)
    return bool(operation.get("done"))


def _least(body: Mapping[str, Any]) -> int:
    return int((body.get("dedicatedResources") or {}).get("minReplicaCount", 0))
