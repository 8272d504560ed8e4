"""The plain REST APIs of Google's kinds (Pub/Sub, Logging, IAM, Vertex AI …): routes from data."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, look, merge_patch
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.errors import invalid, missing
from tidegate.localclouds.gcp.kind import Kind, Rest
from tidegate.localclouds.routes import Answer, Asked, Route

OPERATION = "longrunning.googleapis.com/Operation"


class CollectionFace:
    """The calls that all kinds with a plain REST API share: list, create, get, change, delete."""

    def __init__(self, collections: Collections, kinds: Iterable[Kind]) -> None:
        self._collections = collections
        self._kinds = [kind for kind in kinds if kind.rest is not None]

    def routes(self) -> list[Route]:
        """Return what the APIs answer."""
        found = [route for kind in self._kinds for route in self._routes_of(kind)]
        found += [
            Route("GET", f"/{version}/{{parent...}}/operations/{{operation}}", self._operation)
            for version in ("v1", "v2")
        ]
        return found

    def _routes_of(self, kind: Kind) -> list[Route]:
        rest = _rest(kind)
        one = f"/{rest.version}/{kind.path}"
        all_ = one.rsplit("/", 1)[0]
        verbs: dict[str, Callable[[Kind, Asked], Answer]] = {
            "GET": self._get,
            "PATCH": self._patch,
            "PUT": self._put,
            "DELETE": self._delete,
        }
        routes = [Route(verb, one, _bind(verbs[verb], kind)) for verb in rest.verbs]
        routes.append(Route("GET", all_, _bind(self._list, kind)))
        if rest.create == "PUT":
            routes.append(Route("PUT", one, _bind(self._put, kind)))
        else:
            routes.append(Route("POST", all_, _bind(self._post, kind)))
        return routes

    def _list(self, kind: Kind, asked: Asked) -> Answer:
        rest = _rest(kind)
        parent = _name(kind, asked).rsplit("/", 1)[0]
        found = [kind.show(body) for body in self._collections.find(kind, parent)]
        start = int(asked.query.get("pageToken") or 0)
        size = int(asked.query.get("pageSize") or 0) or 500
        page: Body = {rest.items: found[start : start + size]} if found else {}
        if start + size < len(found):
            page["nextPageToken"] = str(start + size)
        return Answer(page)

    def _get(self, kind: Kind, asked: Asked) -> Answer:
        return Answer(kind.show(self._collections.get(kind, _name(kind, asked))))

    def _post(self, kind: Kind, asked: Asked) -> Answer:
        rest = _rest(kind)
        given = asked.body.get(rest.wrapper, {}) if rest.wrapper else dict(asked.body)
        key = self._choose_id(kind, asked)
        self._collections.fault(kind, "create")
        name = f"{_name(kind, asked)}/{key}"
        private = {word: _flag(asked.query[word]) for word in kind.private if word in asked.query}
        body = self._collections.create(kind, name, {**given, **private})
        return self._answer(kind, asked, name, kind.show(body))

    def _choose_id(self, kind: Kind, asked: Asked) -> str:
        at = _rest(kind).id_at
        given = asked.query.get(at[1:]) if at.startswith("?") else look(asked.body, at or "-")
        if given:
            return names.last_part(str(given))
        if kind.make_id is None:
            raise invalid(f"{at.lstrip('?')} must be given.")
        return kind.make_id(f"{asked.path}#{secrets.token_hex(8)}")

    def _put(self, kind: Kind, asked: Asked) -> Answer:
        """Create what a PUT names, or replace what exists where the API replaces so."""
        name = _name(kind, asked)
        if _rest(kind).create == "PUT":
            self._collections.fault(kind, "create")
            return Answer(kind.show(self._collections.create(kind, name, asked.body)))
        self._collections.fault(kind, "update")
        old = self._collections.get(kind, name)
        kept = {key: old[key] for key in (*kind.private, "createTime") if key in old}
        return Answer(kind.show(self._collections.save(kind, name, {**asked.body, **kept})))

    def _patch(self, kind: Kind, asked: Asked) -> Answer:
        rest, name = _rest(kind), _name(kind, asked)
        given: Mapping[str, Any] = asked.body
        mask = asked.query.get("updateMask", "")
        if rest.patch_wrapper:
            given, mask = given.get(rest.patch_wrapper, {}), given.get("updateMask", mask)
        self._collections.fault(kind, "patch")
        old = self._collections.get(kind, name)
        changed = apply_mask(old, given, [word for word in mask.split(",") if word])
        body = kind.show(self._collections.save(kind, name, changed))
        return self._answer(kind, asked, name, body)

    def _delete(self, kind: Kind, asked: Asked) -> Answer:
        name = _name(kind, asked)
        self._collections.fault(kind, "delete")
        self._collections.delete(kind, name)
        return self._answer(kind, asked, name, {})

    def _answer(self, kind: Kind, asked: Asked, name: str, body: Body) -> Answer:
        return Answer(self.finish(name, body) if asked.method in _rest(kind).waits else body)

    def finish(self, name: str, response: Body) -> Body:
        """Keep and return a long-running operation that has ended.

        Vertex AI has operations below each resource, Workbench below the location.
        """
        parent = "/".join(name.split("/")[:4]) if "/instances/" in name else name
        operation: Body = {
            "name": f"{parent}/operations/{secrets.token_hex(8)}",
            "done": True,
            "metadata": {"target": name, "createTime": names.now(), "endTime": names.now()},
            "response": response,
        }
        self._collections.shelf.put(OPERATION, operation["name"], operation)
        return operation

    def _operation(self, asked: Asked, parent: str, operation: str) -> Answer:
        found = self._collections.shelf.get(OPERATION, f"{parent}/operations/{operation}")
        if found is None:
            raise missing(f"Operation not found: {asked.path}")
        return Answer(found)


def apply_mask(old: Mapping[str, Any], given: Mapping[str, Any], mask: list[str]) -> Body:
    """Return the old body with the masked fields of another; without a mask, with all it has."""
    if not mask or mask == ["*"]:
        return merge_patch(old, given)
    changed: Body = dict(old)
    for word in mask:
        path = [re.sub(r"_(\w)", lambda match: match[1].upper(), step) for step in word.split(".")]
        _copy(changed, given, path)
    return changed


def _copy(into: Body, source: Mapping[str, Any], path: list[str]) -> None:
    step, *rest = path
    value = source.get(step)
    if rest:
        inside = into.get(step)
        into[step] = dict(inside) if isinstance(inside, Mapping) else {}
        _copy(into[step], value if isinstance(value, Mapping) else {}, rest)
    elif value is None:
        into.pop(step, None)
    else:
        into[step] = value


def _bind(handler: Callable[[Kind, Asked], Answer], kind: Kind) -> Callable[..., Answer]:
    def answer(asked: Asked, **_: str) -> Answer:
        return handler(kind, asked)

    return answer


def _rest(kind: Kind) -> Rest:
    if kind.rest is None:
        raise TypeError(f"{kind.name} has no plain REST API")
    return kind.rest


def _name(kind: Kind, asked: Asked) -> str:
    return asked.path.removeprefix(f"/{_rest(kind).version}/")


def _flag(value: str) -> Any:
    return {"true": True, "false": False}.get(value, value)
