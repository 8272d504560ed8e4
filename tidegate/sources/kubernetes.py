"""One cluster: what waits, what runs, which nodes are there, and closing nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from kubernetes import config
from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.config.config_exception import ConfigException

from tidegate.sources import draining
from tidegate.sources.objects import FAULTS, NODES, PODS, Body, explain_fault, list_objects
from tidegate.sources.pods import (
    WAIT_ANNOTATION,
    Chips,
    find_unread_targets,
    has_ended,
    read_pending,
)
from tidegate.sources.running import read_nodes
from tidegate.sources.workloads import read_workloads
from tidegate.vocabulary.reports import SourceFault, WorkReport

IN_CLUSTER = "in-cluster"
"""The context that means the cluster in which the controller itself runs as a pod."""
KUEUE_VERSIONS = ("v1beta2", "v1beta1")
NOT_FOUND = 404


class Cluster:
    """A source of demand that also knows nodes."""

    def __init__(self, name: str, api: ApiClient, chips: Chips) -> None:
        self.name = name
        self._api = api
        self._chips = chips

    def fetch(self) -> WorkReport:
        """Return pending pods and workloads, and every node with what runs on it.

        Raises:
            SourceFault: The cluster does not answer, or answers what is none.
        """
        with _faulting(self.name):
            nodes = self._list(NODES)
            pods = self._list(PODS)
            workloads = self._list_workloads()
            items, waiting = read_workloads(workloads, self._chips, self.name)
            notes = [f"{waiting} workloads of Kueue wait for quota, not for nodes"] * bool(waiting)
            unread = find_unread_targets(pods)
            notes += [_tell_unread(unread)] if unread else []
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
            draining.close_node(self._api, node)
            pods = self._list(PODS, f"spec.nodeName={node}")
            (found,) = read_nodes([{"metadata": {"name": node}}], pods, self._chips, self.name)
            return all(pod.daemonset for pod in found.running)

    def reopen(self, node: str) -> None:
        """Undo `close` and `start_drain`.

        Raises:
            SourceFault: The cluster does not answer.
        """
        with _faulting(self.name):
            draining.open_node(self._api, node)

    def start_drain(
        self, node: str, pods: Sequence[str], at: datetime, *, closed_by_us: bool
    ) -> None:
        """Close a node, and ask its work to save itself.

        Raises:
            SourceFault: The cluster does not answer.
        """
        with _faulting(self.name):
            draining.start_drain(self._api, node, at, closed_by_us=closed_by_us)
            draining.ask_checkpoint(self._api, pods, at)

    def ask_checkpoint(self, pods: Sequence[str], at: datetime | None) -> None:
        """Ask pods to save themselves, or take that back (None).

        Raises:
            SourceFault: The cluster does not answer.
        """
        with _faulting(self.name):
            draining.ask_checkpoint(self._api, pods, at)

    def evict(self, node: str, pods: Mapping[str, int | None]) -> Mapping[str, str]:
        """Tell pods to end; return those that a disruption budget keeps, with its words.

        Args:
            node: The node that is emptied to the end by it; empty where only pods give way.
            pods: Each "namespace/name" → the seconds it gets to end; None for its own.

        Raises:
            SourceFault: The cluster does not answer.
        """
        with _faulting(self.name):
            if node:
                draining.mark_evicting(self._api, node)
            return draining.evict_pods(self._api, pods)

    def _list_workloads(self) -> list[Body]:
        """Return Kueue's workloads; none where Kueue is not installed."""
        for version in KUEUE_VERSIONS:
            try:
                return self._list(f"/apis/kueue.x-k8s.io/{version}/workloads")
            except ApiException as error:
                if error.status != NOT_FOUND:
                    raise
        return []

    def _list(self, path: str, chosen: str = "") -> list[Body]:
        """Return every object of a kind, or those of a field; pods that ended are left out."""
        return [body for body in list_objects(self._api, path, chosen) if not has_ended(body)]


def list_contexts(path: str | None = None) -> list[str]:
    """Return the names of the contexts of a kubeconfig; none where there is no file."""
    try:
        found, _ = config.list_kube_config_contexts(  # type: ignore[no-untyped-call]
            config_file=path
        )
    except ConfigException:
        return []
    return [str(context["name"]) for context in found]


def build_api(context: str | None, path: str | None = None) -> ApiClient:
    """Return a client of a kubeconfig's context, or of the cluster around this pod.

    Args:
        context: The context's name; `IN_CLUSTER` for the pod's own service account; None for the
            kubeconfig's current one.
        path: The kubeconfig; None for the one that `kubectl` would read.

    Raises:
        SourceFault: The kubeconfig has no such context, or cannot be read.
    """
    try:
        if context == IN_CLUSTER:
            made = _build_own()
        else:
            made = config.new_client_from_config(  # type: ignore[no-untyped-call]
                config_file=path, context=context
            )
    except (ConfigException, OSError) as error:
        raise SourceFault(f"kubeconfig context {context!r} cannot be used: {error}") from error
    made.configuration.retries = 1
    return made


def _build_own() -> ApiClient:
    """Return a client of the cluster around this pod; its token is read anew every minute."""
    configuration = Configuration()
    config.load_incluster_config(configuration)  # type: ignore[no-untyped-call]
    return ApiClient(configuration)


def _tell_unread(pods: Sequence[str]) -> str:
    shown = f"{pods[0]} and {len(pods) - 1} more" if len(pods) > 1 else pods[0]
    return f"ignored, for it is no whole number of seconds: {WAIT_ANNOTATION} of {shown}"


@contextmanager
def _faulting(name: str) -> Iterator[None]:
    try:
        yield
    except FAULTS as error:
        raise SourceFault(f"{name} {explain_fault(error, 'Kubernetes object')}") from error
