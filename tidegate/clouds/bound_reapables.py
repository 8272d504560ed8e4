"""The declared notebooks and endpoints, each bound to what its cloud calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tidegate.clouds.binding import Binding, BoundOnce
from tidegate.clouds.bound_pools import Clients
from tidegate.manifest.reapables import Reapable, name_component, name_reapable, name_variant
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState


class BoundReapables:
    """All notebooks and endpoints of a manifest that a cloud's own service runs."""

    def __init__(
        self,
        declared: Sequence[Reapable],
        bindings: Mapping[str, Binding],
        local_urls: Mapping[str, str] | None = None,
    ) -> None:
        """Bind nothing yet: each is bound when it is first asked for.

        Args:
            declared: As the manifest has them.
            bindings: Name, as `name_reapable` says it → what names it in its cloud's API.
            local_urls: Cloud ("gcp", "azure") → where a cloud on this machine answers.
        """
        self._clients = ReapableClients(local_urls or {})
        named = {name_reapable(each): each for each in declared}
        self._bound = BoundOnce(named, bindings, self._bind)

    def fetch_state(self, name: str) -> ReapableState:
        """Return a notebook or an endpoint as its cloud shows it.

        Raises:
            CloudRefused: It could not be read, or nothing says what it is called.
        """
        state: ReapableState = self._bound.find(name).fetch_state()
        return state

    def apply_stop(self, name: str) -> None:
        """Stop a notebook; one that is stopped already is done.

        Raises:
            CloudRefused: Refused; CONFLICT while it changes anyway.
        """
        bound = self._find_running(name)
        if bound is not None:
            bound.apply_stop()

    def apply_size(self, name: str, seen: int, wanted: int) -> None:
        """Set an endpoint's size, if it is still what it was when the decision was made.

        Raises:
            CloudRefused: Refused; CONFLICT when somebody else changed it meanwhile, INVALID below
                what its cloud keeps.
        """
        bound = self._bound.find(name)
        state = bound.fetch_state()
        if state.size == wanted:
            return
        if state.size != seen or state.phase is ReapablePhase.CHANGING:
            text = f"{name} has {state.size} and is {state.phase.value}; {seen} were seen"
            raise CloudRefused(RefusalKind.CONFLICT, text)
        if wanted < state.smallest:
            text = f"{name} keeps {state.smallest} at least; only taking its model away goes lower"
            raise CloudRefused(RefusalKind.INVALID, text)
        bound.apply_size(wanted)

    def apply_removal(self, name: str) -> None:
        """Take an endpoint's model away; one that has none is done.

        Raises:
            CloudRefused: Refused; CONFLICT while it changes anyway.
        """
        bound = self._find_running(name)
        if bound is not None:
            bound.apply_removal()

    def _find_running(self, name: str) -> Any:
        """Return what is to stop; None where it has stopped already."""
        bound = self._bound.find(name)
        phase = bound.fetch_state().phase
        if phase is ReapablePhase.CHANGING:
            raise CloudRefused(RefusalKind.CONFLICT, f"{name} is being changed by somebody else")
        return None if phase is ReapablePhase.STOPPED else bound

    def _bind(self, name: str, declared: Reapable, binding: Binding) -> Any:
        build = BUILDERS.get(declared.kind)
        if build is None:
            text = f"a {declared.kind or 'resource of no stated kind'} is not sized by this program"
            raise CloudRefused(RefusalKind.INVALID, text)
        return build(name, declared, binding, self._clients)


class ReapableClients(Clients):
    """Clients of the services that run notebooks and endpoints, made once."""

    def vertex(self, region: str) -> Any:
        """Return the client of Vertex AI, whose endpoints answer in their region."""
        from tidegate.clouds.gcp.services import build_service

        local = self._url("gcp")
        url = local or f"https://{region}-aiplatform.googleapis.com"
        return self._keep_google(
            ("vertex", region), lambda: build_service("aiplatform", "v1", url, local=bool(local))
        )

    def workbench(self) -> Any:
        """Return the client of Workbench."""
        from tidegate.clouds.gcp.services import build_service

        local = self._url("gcp")
        return self._keep_google(
            ("workbench",), lambda: build_service("notebooks", "v2", local, local=bool(local))
        )

    def arm(self) -> Any:
        """Return the client of Azure Resource Manager."""
        from tidegate.clouds.azure.clients import build_arm_client

        return self._keep(("arm",), lambda: build_arm_client(self._url("azure")))


def _bind_variant(name: str, declared: Any, binding: Binding, clients: Clients) -> Any:
    from tidegate.clouds.aws.endpoints import EndpointVariant

    sagemaker = clients.aws("sagemaker", declared.region)
    return EndpointVariant(name, binding["endpoint"], name_variant(declared), sagemaker)


def _bind_component(name: str, declared: Any, binding: Binding, clients: Clients) -> Any:
    from tidegate.clouds.aws.endpoints import InferenceComponent

    component = name_component(declared, binding)
    if not component:
        raise KeyError("inferenceComponent")
    return InferenceComponent(name, component, clients.aws("sagemaker", declared.region))


def _bind_vertex(name: str, declared: Any, binding: Binding, clients: ReapableClients) -> Any:
    from tidegate.clouds.gcp.endpoints import VertexEndpoint

    client = clients.vertex(declared.region)
    return VertexEndpoint(name, binding["endpoint"], binding.get("resourcePool", ""), client)


def _bind_deployment(name: str, _declared: Any, binding: Binding, clients: ReapableClients) -> Any:
    from tidegate.clouds.azure.endpoints import OnlineDeployment

    return OnlineDeployment(name, binding["deployment"], clients.arm())


def _bind_instance(name: str, declared: Any, binding: Binding, clients: Clients) -> Any:
    from tidegate.clouds.aws.notebooks import NotebookInstance

    sagemaker = clients.aws("sagemaker", declared.region)
    return NotebookInstance(name, binding["notebookInstance"], sagemaker)


def _bind_studio(name: str, declared: Any, binding: Binding, clients: Clients) -> Any:
    from tidegate.clouds.aws.notebooks import StudioUser

    sagemaker = clients.aws("sagemaker", declared.region)
    return StudioUser(name, binding["domain"], binding["userProfile"], sagemaker)


def _bind_workbench(name: str, _declared: Any, binding: Binding, clients: ReapableClients) -> Any:
    from tidegate.clouds.gcp.notebooks import WorkbenchInstance

    return WorkbenchInstance(name, binding["id"], clients.workbench())


def _bind_compute(name: str, _declared: Any, binding: Binding, clients: ReapableClients) -> Any:
    from tidegate.clouds.azure.notebooks import ComputeInstance

    return ComputeInstance(name, binding["id"], clients.arm())


BUILDERS: Mapping[str, Callable[[str, Any, Binding, Any], Any]] = {
    "sagemaker-variant": _bind_variant,
    "sagemaker-inference-component": _bind_component,
    "vertex-resource-pool": _bind_vertex,
    "azure-ml-deployment": _bind_deployment,
    "sagemaker-notebook-instance": _bind_instance,
    "sagemaker-studio": _bind_studio,
    "vertex-workbench": _bind_workbench,
    "azure-ml-compute-instance": _bind_compute,
}
"""Kind in the manifest → how it is bound. A Kubernetes Deployment is its cluster's."""
