"""Google's resources that are kept as they were given: one shelf, told the kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import CheckFailure, World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import exists, invalid, missing, unmet
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.iam_policies import POLICY
from tidegate.localclouds.gcp.kind import Kind, find_all
from tidegate.localclouds.gcp.label_rules import check_labels
from tidegate.localclouds.shelf import Shelf


class Collections:
    """What the faces and the Pulumi types of all kinds call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    def create(self, kind: Kind, name: str, body: Mapping[str, Any]) -> Body:
        """Keep a new resource as the cloud completes it.

        Raises:
            CloudError: When the name is taken, the body is refused, or what it names is absent.
        """
        with self.shelf.transaction():
            if self.shelf.get(kind.name, name) is not None:
                raise exists(f"Resource '{name}' already exists.")
            return self._keep(kind, name, dict(body))

    def get(self, kind: Kind, name: str) -> Body:
        """Return a body.

        Raises:
            NotFoundError: When there is none.
        """
        body = self.shelf.get(kind.name, name)
        if body is None:
            raise missing(f"Resource '{name}' was not found.")
        return body

    def find(self, kind: Kind, parent: str) -> list[Body]:
        """Return the bodies of a collection; "-" as the location stands for every one."""
        word = kind.path.rsplit("/", 2)[1]
        if parent.endswith("/-"):
            found = self.shelf.items(kind.name, parent.removesuffix("-"))
            return [body for name, body in found if name.split("/")[-2] == word]
        return self.shelf.find(kind.name, f"{parent}/{word}/")

    def save(self, kind: Kind, name: str, body: Mapping[str, Any]) -> Body:
        """Keep a changed resource, checked again."""
        with self.shelf.transaction():
            self.get(kind, name)
            return self._keep(kind, name, dict(body))

    def delete(self, kind: Kind, name: str) -> None:
        """Delete a resource that nothing uses any more."""
        with self.shelf.transaction():
            self.get(kind, name)
            user = kind.in_use(self.shelf, name)
            if user:
                raise unmet(f"Resource '{name}' is already being used by '{user}'.")
            self.shelf.delete(kind.name, name)
            self.shelf.delete(POLICY, name)
            kind.after_delete(self.shelf, name)

    def fault(self, kind: Kind, action: str) -> None:
        """Take the faults on a call of the API: "pubsub:Topic.create"."""
        service, _, word = kind.name.partition("/")
        take_faults(self._world, f"{service.split('.')[0]}:{word}.{action}", grows=False)

    def _keep(self, kind: Kind, name: str, body: Body) -> Body:
        if kind.body_name:
            body["name"] = kind.show_name(name)
        kind.fill(name, body)
        for failure in check_kind(kind, body):
            raise invalid(f"{failure.reason} (at {failure.property})")
        for reason in self.find_absent(kind, name, body):
            raise missing(reason)
        self.shelf.put(kind.name, name, body)
        return body

    def find_absent(self, kind: Kind, name: str, body: Body) -> Iterator[str]:
        """Say which of the resources that a body names do not exist."""
        for reference in kind.references:
            for _, value in find_all(body, reference.at):
                if isinstance(value, str) and value:
                    reason = reference.find(self.shelf, name, value)
                    if reason:
                        yield reason


def check_kind(kind: Kind, body: Body) -> Iterator[CheckFailure]:
    """Say what the cloud refuses in a body; places are paths in the REST body."""
    for rule in kind.rules:
        yield from rule(body)
    for path in kind.labels:
        for place, labels in find_all(body, path):
            yield from check_labels(labels, place)


def touch(name: str, body: Body) -> None:
    """Fill in when a resource was made and when it was changed last."""
    del name
    body["updateTime"] = names.now()
    body.setdefault("createTime", body["updateTime"])
