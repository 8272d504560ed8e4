"""Local clouds in this process: the engine's own way in, and the faces on loopback ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tidegate.localclouds.contracts import Call, Cloud, World
from tidegate.localclouds.lifecycles import Difference, Resource, ResourceTypes
from tidegate.localclouds.server import build_world, open_face
from tidegate.localclouds.wire import Properties

Values = dict[str, Any]


@dataclass
class Made:
    """A resource that `up` made: its id, its inputs after the check, and its outputs."""

    id: str
    inputs: Values
    outputs: Values


@dataclass
class Engine:
    """What the Pulumi engine asks of a provider, without the protocol around it."""

    cloud: Cloud
    world: World
    settings: Mapping[str, Any] = field(default_factory=dict)

    def find(self, token: str, name: str) -> Resource:
        urn = f"urn:pulumi:dev::tests::{token}::{name}"
        call = Call(self.cloud.package, token, urn, name, self.settings, self.world)
        return ResourceTypes(self.cloud, self.world).find(call)

    def refusals(self, token: str, inputs: Values, name: str = "r") -> dict[str, str]:
        """Return what Check refuses, by property."""
        _, failures = self.find(token, name).check({}, inputs, b"seed")
        return {failure.property: failure.reason for failure in failures}

    def up(self, token: str, inputs: Values, name: str = "r") -> Made:
        """Check and create."""
        resource = self.find(token, name)
        checked, failures = resource.check({}, inputs, b"seed")
        assert failures == []
        key, (outputs, _) = resource.create(Properties(checked))
        return Made(key, checked, outputs)

    def diff(self, token: str, made: Made, inputs: Values, name: str = "r") -> Difference:
        """Check new inputs and say what they change."""
        resource = self.find(token, name)
        checked, failures = resource.check(made.inputs, inputs, b"seed")
        assert failures == []
        return resource.diff(made.id, made.inputs, checked)

    def change(self, token: str, made: Made, inputs: Values, name: str = "r") -> Made:
        """Check and update in place."""
        resource = self.find(token, name)
        checked, failures = resource.check(made.inputs, inputs, b"seed")
        assert failures == []
        outputs, _ = resource.update(made.id, made.inputs, Properties(checked))
        return Made(made.id, checked, outputs)

    def refresh(self, token: str, made: Made, name: str = "r") -> Values | None:
        """Return the inputs as they read live, None when it is gone."""
        found = self.find(token, name).read(made.id, Properties(made.inputs))
        return None if found is None else found[0][0]

    def destroy(self, token: str, made: Made, name: str = "r") -> None:
        self.find(token, name).delete(made.id)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = build_world(tmp_path / "state")
    yield made
    made.store.close()


@pytest.fixture
def make_engine() -> type[Engine]:
    return Engine


@pytest.fixture
def serve() -> Iterator[Callable[[Cloud], str]]:
    """Open a cloud's face and return its URL."""
    faces = []

    def open_one(cloud: Cloud) -> str:
        face = open_face(cloud.face)
        faces.append(face)
        return face.url

    yield open_one
    for face in faces:
        face.close()
