"""The server's own face on loopback: health, what it holds, faults."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.faults import build_fault
from tidegate.localclouds.naming import strip_version
from tidegate.localclouds.store import package_of
from tidegate.vocabulary.problems import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

ROUTES = Map(
    [
        Rule("/health", endpoint="health", methods=["GET"]),
        Rule("/resources", endpoint="resources", methods=["GET"]),
        Rule("/types", endpoint="types", methods=["GET"]),
        Rule("/faults", endpoint="faults", methods=["GET"]),
        Rule("/faults", endpoint="add_fault", methods=["POST"]),
        Rule("/faults", endpoint="clear_faults", methods=["DELETE"]),
    ]
)


class Control:
    """A small JSON API over the world that all clouds of the process share."""

    def __init__(self, world: World, clouds: Sequence[Cloud]) -> None:
        self._world = world
        self._clouds = clouds

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        request = Request(environ)
        try:
            endpoint, _ = ROUTES.bind_to_environ(environ).match()
            response = _render(getattr(self, endpoint)(request))
        except HTTPException as error:
            return error(environ, start)
        except (InvalidInput, KeyError, TypeError, ValueError) as error:
            response = _render({"error": str(error)}, status=400)
        return response(environ, start)

    def health(self, request: Request) -> Mapping[str, Any]:  # noqa: ARG002 - as every route
        """Say that the server answers."""
        return {"status": "ok"}

    def resources(self, request: Request) -> list[dict[str, Any]]:
        """List what the store holds; `?urn=` gives what one URN made.

        What no engine has named since its creation ("answered": false) comes last.
        """
        records = self._world.store.list(urn=request.args.get("urn"))
        found = [
            {
                "cloud": package_of(record.cloud),
                "type": record.type_token,
                "id": record.id,
                "urn": record.urn,
                "answered": (record.cloud, record.type_token, record.id)
                not in self._world.unanswered,
            }
            for record in records
            if record.urn
        ]
        return sorted(found, key=lambda item: not item["answered"])

    def types(self, request: Request) -> list[dict[str, Any]]:  # noqa: ARG002 - as every route
        """Tell for each type in use, and each with an API, what backs it and how many there are."""
        backing = {
            (cloud.package, token): behaviour.backing
            for cloud in self._clouds
            for token, behaviour in cloud.behaviours.items()
        }
        counts = Counter(
            (package_of(record.cloud), strip_version(record.type_token))
            for record in self._world.store.list()
            if record.urn
        )
        return [
            {"cloud": key[0], "type": key[1], "backing": backing.get(key, "stored"), "count": count}
            for key in sorted({*backing, *counts})
            for count in [counts.get(key, 0)]
        ]

    def faults(self, request: Request) -> list[dict[str, Any]]:  # noqa: ARG002 - as every route
        """List the faults in force."""
        return [asdict(fault) for fault in self._world.faults.list()]

    def add_fault(self, request: Request) -> dict[str, Any]:
        """Put a fault in force."""
        return asdict(self._world.faults.add(build_fault(request.get_json())))

    def clear_faults(self, request: Request) -> dict[str, int]:  # noqa: ARG002 - as every route
        """Lift all faults."""
        return {"cleared": self._world.faults.clear()}


def _render(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status=status, mimetype="application/json")
