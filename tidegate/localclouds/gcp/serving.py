"""Models on Vertex AI endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.ai_kinds import (
    ENDPOINT_KIND,
    POOL_KIND,
    check_replicas,
)
from tidegate.localclouds.gcp.collection_face import CollectionFace, apply_mask
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.errors import invalid, missing, unmet
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.routes import Answer, Asked, Route


class Serving:
    """Deploys models to endpoints: their replicas are what a controller scales.

    Models themselves are not kept here; a deployment takes any model's name.
    """

    def __init__(self, world: World, collections: Collections, face: CollectionFace) -> None:
        self._world = world
        self._collections = collections
        self._face = face

    def routes(self) -> list[Route]:
        """Return what the API answers of deployed models."""
        one = "/v1/projects/{project}/locations/{location}/endpoints/{endpoint}"
        return [
            Route("POST", f"{one}:deployModel", self._answer_deploy),
            Route("POST", f"{one}:mutateDeployedModel", self._answer_mutate),
            Route("POST", f"{one}:undeployModel", self._answer_undeploy),
        ]

    def _answer_deploy(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked)
        model = dict(asked.body.get("deployedModel", {}))
        self._check_model(model)
        take_faults(self._world, "aiplatform:Endpoint.deployModel")
        model.setdefault("id", names.number_of(f"{name}#{names.now()}"))
        model.setdefault("createTime", names.now())
        with self._collections.shelf.transaction():
            endpoint = self._collections.get(ENDPOINT_KIND, name)
            endpoint["deployedModels"] = [*endpoint.get("deployedModels", []), model]
            split = asked.body.get("trafficSplit")
            if split:
                endpoint["trafficSplit"] = {
                    model["id"] if key == "0" else key: share for key, share in split.items()
                }
            self._collections.save(ENDPOINT_KIND, name, endpoint)
        return Answer(self._face.finish(name, {"deployedModel": model}))

    def _check_model(self, model: Body) -> None:
        shared = model.get("sharedResources")
        if not model.get("model"):
            raise invalid("deployedModel.model must be given.")
        if bool(shared) == bool(model.get("dedicatedResources")):
            raise invalid("Exactly one of dedicatedResources and sharedResources must be given.")
        if shared and self._collections.shelf.get(POOL_KIND.name, shared) is None:
            raise missing(f"Resource '{shared}' was not found.")
        for failure in check_replicas(model):
            raise invalid(f"{failure.reason} (at deployedModel.{failure.property})")

    def _answer_mutate(self, asked: Asked, **_: str) -> Answer:
        """Change the replicas of a deployed model."""
        name, given = _name(asked), asked.body.get("deployedModel", {})
        take_faults(self._world, "aiplatform:Endpoint.mutateDeployedModel")
        mask = [word for word in str(asked.body.get("updateMask", "")).split(",") if word]
        with self._collections.shelf.transaction():
            endpoint = self._collections.get(ENDPOINT_KIND, name)
            models = endpoint.get("deployedModels", [])
            position = _find_model(models, str(given.get("id", "")))
            models[position] = apply_mask(models[position], given, mask)
            self._check_model(models[position])
            self._collections.save(ENDPOINT_KIND, name, endpoint)
        return Answer(self._face.finish(name, {"deployedModel": models[position]}))

    def _answer_undeploy(self, asked: Asked, **_: str) -> Answer:
        name, key = _name(asked), str(asked.body.get("deployedModelId", ""))
        with self._collections.shelf.transaction():
            endpoint = self._collections.get(ENDPOINT_KIND, name)
            models = endpoint.get("deployedModels", [])
            models.pop(_find_model(models, key))
            split = asked.body.get("trafficSplit") or endpoint.get("trafficSplit") or {}
            if models and split.get(key):
                words = f"Deployed model '{key}' gets traffic, and others are deployed to take it."
                raise unmet(f"{words} Give a trafficSplit without it.")
            endpoint["trafficSplit"] = split if models else {}
            self._collections.save(ENDPOINT_KIND, name, endpoint)
        return Answer(self._face.finish(name, {}))


def _find_model(models: list[Mapping[str, Any]], key: str) -> int:
    for position, model in enumerate(models):
        if model["id"] == key:
            return position
    raise missing(f"Deployed model '{key}' was not found.")


def _name(asked: Asked) -> str:
    return asked.path.removeprefix("/v1/").partition(":")[0]
