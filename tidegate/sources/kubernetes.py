"""One cluster: what waits, what runs, which nodes are there, and closing nodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.config.config_exception import ConfigException
from urllib3.exceptions import HTTPError

from tidegate.sources.pods import (
    CLOSED_ANNOTATION,
    Body,
    Chips,
    has_ended,
    read_nodes,
    read_pending,
)
from tidegate.sources.workloads import read_workloads
from tidegate.vocabulary.reports import SourceFault, WorkReport

PAGE = 2000
TIMEOUT_SECONDS = (5, 20)
"""To connect, and to answer."""
KUEUE = ("kueue.x-k8s.io", "workloads")
KUEUE_VERSIONS = ("v1beta2", "v1beta1")
NOT_FOUND = 404
FIRST_ERROR = 400


class Cluster:
    """A source of demand that also knows nodes."""

    def __init__(self, name: str, api: client.ApiClient, chips: Chips) -> None:
        self.name = name
        self._core = client.CoreV1Api(api)
        self._custom = client.CustomObjectsApi(api)
        self._chips = chips

    def fetch(self) -> WorkReport:
        """Return pending pods and workloads, and every node with what runs on it.

        Raises:
            SourceFault: The cluster does not answer, or answers what is none.
        """
        with _faulting(self.name):
            nodes = self._list(self._core.list_node)
            pods = self._list(self._core.list_pod_for_all_namespaces)
            workloads = self._list_workloads()
            items, waiting = read_workloads(workloads, self._chips, self.name)
            notes = [f"{waiting} workloads of Kueue wait for quota, not for nodes"] * bool(waiting)
            return WorkReport(
                items=(*read_pending(pods, self._chips, self.name), *items),
                nodes=tuple(read_nodes(nodes, pods, self._chips, self.name)),
                notes=tuple(notes),
            )

    def close(self, node: str) -> bool:
        """Let nothing new start on a node; return whether it is still empty then.

        Raises:
            SourceFault: The cluster does not answer.
        """
        with _faulting(self.name):
            self._patch(node, closed=True)
            pods = self._list(self._core.list_pod_for_all_namespaces)
            mine = [pod for pod in pods if (pod.get("spec") or {}).get("nodeName") == node]
            (found,) = read_nodes([{"metadata": {"name": node}}], mine, self._chips, self.name)
            return all(pod.daemonset for pod in found.running)

    def reopen(self, node: str) -> None:
        """Undo `close`.

        Raises:
            SourceFault: The cluster does not answer.
        """
        with _faulting(self.name):
            self._patch(node, closed=False)

    def _patch(self, node: str, *, closed: bool) -> None:
        # The mark tells a node that this controller closed from one that a person did.
        mark = {CLOSED_ANNOTATION: "true" if closed else None}
        body = {"metadata": {"annotations": mark}, "spec": {"unschedulable": closed}}
        self._core.patch_node(node, body, _request_timeout=TIMEOUT_SECONDS)

    def _list_workloads(self) -> list[Body]:
        """Return Kueue's workloads; none where Kueue is not installed."""
        group, plural = KUEUE
        for version in KUEUE_VERSIONS:
            ask = partial(self._custom.list_cluster_custom_object, group, version, plural)
            try:
                return self._list(ask)
            except ApiException as error:
                if error.status != NOT_FOUND:
                    raise
        return []

    def _list(self, ask: Callable[..., Any]) -> list[Body]:
        """Return every object of a kind, page by page, as JSON; pods that ended are left out.

        The client's classes are left out: of ten thousand pods they take longer than all the rest.
        """
        found: list[Body] = []
        more: dict[str, Any] = {}
        while True:
            answer = ask(
                limit=PAGE, _preload_content=False, _request_timeout=TIMEOUT_SECONDS, **more
            )
            if answer.status >= FIRST_ERROR:
                raise ApiException(status=answer.status, reason=answer.reason)
            page = json.loads(answer.data)
            found += [body for body in page["items"] or () if not has_ended(body)]
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return found
            more = {"_continue": token}


def list_contexts(path: str | None = None) -> list[str]:
    """Return the names of the contexts of a kubeconfig; none where there is no file."""
    try:
        found, _ = config.list_kube_config_contexts(  # type: ignore[no-untyped-call]
            config_file=path
        )
    except ConfigException:
        return []
    return [str(context["name"]) for context in found]


def build_api(context: str, path: str | None = None) -> client.ApiClient:
    """Return a client of a kubeconfig's context.

    Raises:
        SourceFault: The kubeconfig has no such context, or cannot be read.
    """
    try:
        made: client.ApiClient = config.new_client_from_config(  # type: ignore[no-untyped-call]
            config_file=path, context=context
        )
    except (ConfigException, OSError) as error:
        raise SourceFault(f"kubeconfig context {context!r} cannot be used: {error}") from error
    made.configuration.retries = 1
    return made


@contextmanager
def _faulting(name: str) -> Iterator[None]:
    try:
        yield
    except ApiException as error:
        raise SourceFault(f"{name} answers {error.status} {error.reason}") from error
    except HTTPError as error:
        raise SourceFault(f"{name} does not answer: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceFault(f"{name} answers what is no Kubernetes object: {error!r}") from error
