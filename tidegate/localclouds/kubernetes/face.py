"""Kubernetes' REST for the official clients, one API server a cluster: `/k8s/<cluster>/…`."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.faults import judge
from tidegate.localclouds.kubernetes.clusters import (
    PREFIX,
    Cluster,
    find_by_path,
    list_clusters,
)
from tidegate.localclouds.kubernetes.discovery import answer_discovery
from tidegate.localclouds.kubernetes.errors import (
    absent_path,
    bad_request,
    render_status,
)
from tidegate.localclouds.kubernetes.kinds import NAMESPACE, Kind
from tidegate.localclouds.kubernetes.kubeconfig import build_kubeconfig
from tidegate.localclouds.kubernetes.objects import ApiServer
from tidegate.localclouds.kubernetes.patches import apply_patch
from tidegate.localclouds.kubernetes.selectors import matches
from tidegate.localclouds.routes import Answer, Asked, Face, Route

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SCALE = "scale"
MAXIMUM_STEPS = 3  # clusterqueues/gpu/status
STATUS = "status"


@dataclass(frozen=True, slots=True)
class Target:
    """What a path names: a collection where there is no name."""

    kind: Kind
    namespace: str
    name: str
    part: str


class KubernetesFace:
    """The routes over one `ApiServer`."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def application(self) -> Face:
        """Return the WSGI application."""
        routes = [Route(method, f"{PREFIX}{{rest...}}", self._answer) for method in METHODS]
        routes.append(Route("GET", "/kubeconfig", self._answer_kubeconfig))
        return Face(routes, render_status, absent_path)

    def _answer_kubeconfig(self, asked: Asked) -> Answer:
        return Answer(build_kubeconfig(asked.url, list_clusters(self._api.world)))

    def _answer(self, asked: Asked, rest: str) -> Answer:
        del rest
        found = find_by_path(self._api.world, asked.path)
        if found is None:
            raise absent_path(asked)
        cluster, path = found
        if asked.method == "GET":
            answer = answer_discovery(self._api.kinds.values(), path)
            if answer is not None:
                return answer
        target = self._find_target(asked, path)
        if target.name:
            return self._answer_object(asked, cluster, target)
        return self._answer_collection(asked, cluster, target)

    def _find_target(self, asked: Asked, path: str) -> Target:
        for kind in self._api.kinds.values():
            if not path.startswith(f"{kind.root}/"):
                continue
            steps = path.removeprefix(f"{kind.root}/").strip("/").split("/")
            namespace = ""
            if kind.namespaced and steps[0] == "namespaces" and len(steps) > 2:
                namespace, steps = steps[1], steps[2:]
            name, part = [*steps[1:], "", ""][:2]
            is_ours = steps[0] == kind.plural and len(steps) <= MAXIMUM_STEPS
            if is_ours and part in ("", STATUS, SCALE):
                return Target(kind, namespace, name, part)
        raise absent_path(asked)

    def _answer_collection(self, asked: Asked, cluster: Cluster, target: Target) -> Answer:
        if asked.method == "GET":
            return Answer(self._list(asked, cluster, target))
        if asked.method != "POST" or (target.kind.namespaced and not target.namespace):
            raise absent_path(asked)
        self._take_faults(target.kind, "create")
        wanted = read_body(asked)
        check_place(target, wanted, target.kind.name)
        with self._api.world.store.transaction():
            body = self._api.create(cluster, target.kind, target.namespace, wanted)
        return Answer(body, 201)

    def _list(self, asked: Asked, cluster: Cluster, target: Target) -> Body:
        if asked.query.get("watch") in ("true", "1"):
            raise bad_request("the local Kubernetes answers no watch: list again")
        items = self._api.list(cluster, target.kind, target.namespace)
        chosen = [body for body in items if matches(target.kind, body, asked.query)]
        return {
            "apiVersion": target.kind.api_version,
            "kind": f"{target.kind.name}List",
            "metadata": {"resourceVersion": str(len(items))},
            "items": chosen,
        }

    def _answer_object(self, asked: Asked, cluster: Cluster, target: Target) -> Answer:
        kind, namespace, name = target.kind, target.namespace, target.name
        if target.part == SCALE and not kind.is_scaled:
            raise absent_path(asked)
        if asked.method == "GET":
            body = self._api.get(cluster, kind, namespace, name)
            return Answer(build_scale(body) if target.part == SCALE else body)
        self._take_faults(kind, asked.method.lower())
        with self._api.world.store.transaction():
            return self._change(asked, cluster, target)

    def _change(self, asked: Asked, cluster: Cluster, target: Target) -> Answer:
        kind, namespace, name = target.kind, target.namespace, target.name
        if asked.method == "DELETE" and not target.part:
            body = self._api.delete(cluster, kind, namespace, name)
            gone = self._api.find(cluster, kind, namespace, name) is None
            return Answer(build_success(kind, body) if gone and kind is not NAMESPACE else body)
        if asked.method not in ("PUT", "PATCH") or target.part == STATUS:
            # A status follows from the cluster here: nobody can write another.
            raise absent_path(asked)
        old = self._api.get(cluster, kind, namespace, name)
        shown = build_scale(old) if target.part == SCALE else old
        is_patch = asked.method == "PATCH"
        media_type = asked.headers.get("content-type", "")
        wanted = apply_patch(shown, media_type, asked.raw) if is_patch else read_body(asked)
        check_place(target, wanted, shown["kind"])
        if target.part != SCALE:
            return Answer(self._api.replace(cluster, kind, namespace, name, wanted))
        replicas = (wanted.get("spec") or {}).get("replicas", 0)
        scaled = {**old, "spec": {**old["spec"], "replicas": replicas}}
        return Answer(build_scale(self._api.replace(cluster, kind, namespace, name, scaled)))

    def _take_faults(self, kind: Kind, verb: str) -> None:
        faults = self._api.world.faults.take("kubernetes", f"{kind.resource}/{verb}")
        wait, error = judge(faults, "kubernetes")
        if wait:
            time.sleep(wait)
        if error is not None:
            raise error


def read_body(asked: Asked) -> Body:
    """Return the object of a request.

    Raises:
        CloudError: When there is none.
    """
    body = asked.body
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
        raise bad_request("the body is no object with metadata")
    return body


def check_place(target: Target, body: Body, kind: str) -> None:
    """Refuse an object that says of itself what its path does not say.

    Raises:
        CloudError: When kind, name or namespace differ.
    """
    if body.get("kind", kind) != kind:
        raise bad_request(f"the kind of the object ({body['kind']}) is not {kind}")
    for key, wanted in (("namespace", target.namespace), ("name", target.name)):
        given = body["metadata"].get(key)
        if given and wanted and given != wanted:
            raise bad_request(
                f"the {key} of the object ({given}) does not match the {key} on the URL ({wanted})"
            )


def build_scale(body: Body) -> Body:
    """Return the `Scale` of an object."""
    metadata = body["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    labels = (body["spec"].get("selector") or {}).get("matchLabels") or {}
    replicas = body["spec"].get("replicas", 0)
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "spec": {"replicas": replicas},
        "status": {
            "replicas": replicas,
            "selector": ",".join(f"{key}={value}" for key, value in sorted(labels.items())),
        },
    }


def build_success(kind: Kind, body: Body) -> Body:
    """Return the `Status` of a deletion."""
    metadata = body["metadata"]
    details = {"name": metadata["name"], "kind": kind.plural, "uid": metadata.get("uid", "")}
    return {"kind": "Status", "apiVersion": "v1", "status": "Success", "details": details}
