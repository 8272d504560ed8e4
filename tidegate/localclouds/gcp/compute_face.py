"""`compute.googleapis.com` v1 as `google.cloud.compute_v1` calls it: collections of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tidegate.localclouds.bodies import Body, merge_patch
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.compute import (
    NETWORK,
    OPERATION,
    RESERVATION,
    SUBNETWORK,
    Compute,
)
from tidegate.localclouds.gcp.compute_kinds import COMMITMENT_KIND, POLICY_KIND
from tidegate.localclouds.gcp.compute_rules import check_reservation
from tidegate.localclouds.gcp.errors import invalid, unmet
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.future_kinds import FUTURE_KIND, check_future_change
from tidegate.localclouds.gcp.gke import raise_first
from tidegate.localclouds.gcp.kind import Kind
from tidegate.localclouds.gcp.messages import parse_message
from tidegate.localclouds.gcp.template_kinds import REGION_TEMPLATE_KIND, TEMPLATE_KIND
from tidegate.localclouds.routes import Answer, Asked, Route

SDK = "google.cloud.compute_v1"
PREFIX = "/compute/v1/"
PROJECT = "/compute/v1/projects/{project}"
ZONE = f"{PROJECT}/zones/{{zone}}"
RESERVATIONS = f"{ZONE}/reservations"
ONE_RESERVATION = f"{RESERVATIONS}/{{reservation}}"

# What can be done with each kind beside list, get and insert.
VERBS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (COMMITMENT_KIND, ("PATCH",)),
    (FUTURE_KIND, ("PATCH", "DELETE")),
    (POLICY_KIND, ("PATCH", "DELETE")),
    (REGION_TEMPLATE_KIND, ("DELETE",)),
    (TEMPLATE_KIND, ("DELETE",)),
)
# All that `regionCommitments.update` changes (discovery document compute.v1).
COMMITMENT_UPDATES = frozenset({"autoRenew", "name", "plan"})


class ComputeFace:
    """The routes of Compute Engine's REST API, those of instances and their groups apart."""

    def __init__(self, world: World, compute: Compute, collections: Collections) -> None:
        self._world = world
        self._compute = compute
        self._collections = collections

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        return [
            *(route for kind, verbs in VERBS for route in self._kind_routes(kind, verbs)),
            Route("POST", f"{ZONE}/futureReservations/{{reservation}}/cancel", self._cancel_future),
            *self._reservation_routes(),
            *self._read_routes(),
            *self._operation_routes(),
        ]

    def _kind_routes(self, kind: Kind, verbs: tuple[str, ...]) -> list[Route]:
        one = f"/compute/v1/{kind.path}"
        all_, word = one.rsplit("/", 1)[0], kind.path.rsplit("/", 2)[1]
        changes = {"DELETE": self._delete, "PATCH": self._patch}
        return [
            Route("GET", all_, list_answer(self._compute, kind.name, kind.private)),
            Route("POST", all_, _bind(self._insert, kind)),
            Route("GET", one, get_answer(self._compute, kind.name, kind.private)),
            Route(
                "GET",
                f"{PROJECT}/aggregated/{word}",
                aggregate_answer(self._compute, kind.name, word, kind.private),
            ),
            *(Route(verb, one, _bind(changes[verb], kind)) for verb in verbs),
        ]

    def _reservation_routes(self) -> list[Route]:
        return [
            Route("GET", RESERVATIONS, list_answer(self._compute, RESERVATION)),
            Route("POST", RESERVATIONS, self._insert_reservation),
            Route("GET", ONE_RESERVATION, get_answer(self._compute, RESERVATION)),
            Route("DELETE", ONE_RESERVATION, self._delete_reservation),
            Route("POST", f"{ONE_RESERVATION}/resize", self._resize_reservation),
            Route(
                "GET",
                f"{PROJECT}/aggregated/reservations",
                aggregate_answer(self._compute, RESERVATION, "reservations"),
            ),
        ]

    def _read_routes(self) -> list[Route]:
        networks = f"{PROJECT}/global/networks"
        subnetworks = f"{PROJECT}/regions/{{region}}/subnetworks"
        return [
            Route("GET", networks, list_answer(self._compute, NETWORK)),
            Route("GET", f"{networks}/{{network}}", get_answer(self._compute, NETWORK)),
            Route("GET", subnetworks, list_answer(self._compute, SUBNETWORK)),
            Route("GET", f"{subnetworks}/{{subnetwork}}", get_answer(self._compute, SUBNETWORK)),
        ]

    def _operation_routes(self) -> list[Route]:
        scopes = (ZONE, f"{PROJECT}/regions/{{region}}", f"{PROJECT}/global")
        one = get_answer(self._compute, OPERATION)
        return [
            route
            for scope in scopes
            for route in (
                Route("GET", f"{scope}/operations", list_answer(self._compute, OPERATION)),
                Route("GET", f"{scope}/operations/{{operation}}", one),
                Route("POST", f"{scope}/operations/{{operation}}/wait", self._wait),
            )
        ]

    # Kinds

    def _insert(self, kind: Kind, asked: Asked) -> Answer:
        body = parse_message(SDK, kind.message, asked.body)
        name = f"{name_of(asked)}/{body.get('name', '')}"
        self._collections.fault(kind, "insert")
        return self._operate("insert", name, lambda: self._collections.create(kind, name, body))

    def _patch(self, kind: Kind, asked: Asked) -> Answer:
        given = parse_message(SDK, kind.message, asked.body)
        name = name_of(asked)
        old = self._collections.get(kind, name)
        if kind is COMMITMENT_KIND and set(given) - COMMITMENT_UPDATES:
            raise invalid("Only autoRenew and plan of a commitment can be updated.")
        self._collections.fault(kind, "update")

        def change() -> None:
            new = merge_patch(old, given)
            if kind is FUTURE_KIND:
                raise_first(check_future_change(old, new))
            self._collections.save(kind, name, new)

        return self._operate("update", name, change)

    def _delete(self, kind: Kind, asked: Asked) -> Answer:
        name = name_of(asked)
        self._collections.fault(kind, "delete")
        return self._operate("delete", name, lambda: self._collections.delete(kind, name))

    def _cancel_future(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/cancel")

        def cancel() -> None:
            body = self._collections.get(FUTURE_KIND, name)
            if body["status"]["procurementStatus"] == "DRAFTING":
                raise unmet(f"The future reservation '{name}' is a draft: delete it instead.")
            body["status"]["procurementStatus"] = "CANCELLED"
            self._collections.save(FUTURE_KIND, name, body)

        return self._operate("cancel", name, cancel)

    # Reservations

    def _insert_reservation(self, asked: Asked, zone: str, **_: str) -> Answer:
        body = parse_message(SDK, "Reservation", asked.body)
        raise_first(check_reservation(body, zone))
        name = f"{name_of(asked)}/{body.get('name', '')}"

        def insert() -> None:
            take_faults(self._world, "compute:Reservations.Insert")
            self._compute.insert_reservation(name, body)

        return self._operate("insert", name, insert)

    def _delete_reservation(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked)
        return self._operate("delete", name, lambda: self._compute.delete(RESERVATION, name))

    def _resize_reservation(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/resize")
        count = int(asked.body.get("specificSkuCount", 0))
        return self._operate("resize", name, lambda: self._compute.resize_reservation(name, count))

    def _operate(self, kind: str, target: str, work: Callable[[], Any]) -> Answer:
        return Answer(self._compute.operate(kind, target, work))

    def _wait(self, asked: Asked, **_: str) -> Answer:
        return Answer(self._compute.get(OPERATION, name_of(asked).removesuffix("/wait")))


def name_of(asked: Asked) -> str:
    """Return the resource name in a request's path."""
    return asked.path.removeprefix(PREFIX)


def get_answer(
    compute: Compute, kind: str, private: frozenset[str] = frozenset()
) -> Callable[..., Answer]:
    """Return what answers one resource of a kind."""

    def answer(asked: Asked, **_: str) -> Answer:
        return Answer(_shown(compute.get(kind, name_of(asked)), private))

    return answer


def list_answer(
    compute: Compute, kind: str, private: frozenset[str] = frozenset()
) -> Callable[..., Answer]:
    """Return what answers a collection of a kind, page by page."""

    def answer(asked: Asked, **_: str) -> Answer:
        found = compute.shelf.find(kind, f"{name_of(asked)}/")
        return Answer(render_page(asked, [_shown(body, private) for body in found]))

    return answer


def aggregate_answer(
    compute: Compute, kind: str, word: str, private: frozenset[str] = frozenset()
) -> Callable[..., Answer]:
    """Return what answers all resources of a kind in a project, by zone or region."""

    def answer(asked: Asked, project: str) -> Answer:
        scopes: dict[str, list[Body]] = {}
        for name, body in compute.shelf.items(kind, f"projects/{project}/"):
            parts = name.split("/")[2:4]
            scope = "global" if parts[0] == "global" else "/".join(parts)
            scopes.setdefault(scope, []).append(_shown(body, private))
        items = {scope: {word: bodies} for scope, bodies in sorted(scopes.items())}
        return Answer({"id": name_of(asked), "items": items})

    return answer


def _shown(body: Body, private: frozenset[str]) -> Body:
    return {key: value for key, value in body.items() if key not in private}


def _bind(handler: Callable[[Kind, Asked], Answer], kind: Kind) -> Callable[..., Answer]:
    def answer(asked: Asked, **_: str) -> Answer:
        return handler(kind, asked)

    return answer


def render_page(asked: Asked, items: Iterable[Body]) -> Body:
    """Return one page of a list as `maxResults` and `pageToken` ask."""
    found = list(items)
    start = int(asked.query.get("pageToken") or 0)
    size = int(asked.query.get("maxResults") or 500)
    page: Body = {"id": name_of(asked), "items": found[start : start + size]}
    if start + size < len(found):
        page["nextPageToken"] = str(start + size)
    return page
