"""The component `Controller`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import json
from typing import Any

import pulumi

from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import refuse
from tidegate_components.arguments import require_inputs
from tidegate_components.children import child_options
from tidegate_components.controller.args import ControllerArgs
from tidegate_components.controller.identities import build_credentials
from tidegate_components.controller.objects import ClusterObject, build_objects
from tidegate_components.controller.parse import parse_controller
from tidegate_components.controller.pod import OUTPUTS_FILE, SOURCES_FILE, render_sources
from tidegate_components.controller.spec import ControllerSpec
from tidegate_components.kubernetes_object import KubernetesObject

MAX_CONFIGURATION = 1_000_000
"""Bytes of a ConfigMap, a little below what Kubernetes takes (1 MiB, metadata included)."""


class Controller(pulumi.ComponentResource):
    """Tidegate's controller as a Deployment, with no more rights than it uses.

    Its pods follow the stack: manifest and bindings reach them with every update, without a
    restart. The clouds' side of its rights is `ControllerAccess`.
    """

    capacity: dict[str, Any]
    """What it adds to the capacity manifest: nothing."""
    bindings: pulumi.Output[dict[str, Any]]
    """Its id with its names in the cluster."""

    def __init__(
        self,
        name: str,
        args: ControllerArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declare the controller.

        Args:
            name: Its id, and the name of its objects.
            args: Where it runs, on what stack it works, and as whom.
            opts: Pulumi's options; the Kubernetes `provider` of the cluster among them.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_controller(name, args)
        given: dict[str, Any] = {key: args.get(key) for key in ("image", "bindings")}
        require_inputs(spec.where, given)
        inputs = {**given, **{cloud.value: args.get(cloud.value) or {} for cloud in Cloud}}
        super().__init__("tidegate:index:Controller", name, None, opts)
        data = {
            OUTPUTS_FILE: pulumi.Output.from_input(given["bindings"]).apply(
                lambda known: render_outputs(spec, known)
            ),
            SOURCES_FILE: render_sources(spec),
            **build_credentials(spec, inputs),
        }
        before: list[pulumi.Resource] = []
        for each in build_objects(spec, inputs, data):
            made = self._declare(each, opts, before)
            if each.kind == "Namespace":
                before = [made]
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: identify(spec)})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})

    def _declare(
        self,
        each: ClusterObject,
        given: pulumi.ResourceOptions | None,
        before: list[pulumi.Resource],
    ) -> KubernetesObject:
        fields = dict(each.fields)
        return KubernetesObject(
            f"{self._name}-{each.kind.lower()}",
            api_version=each.api_version,
            kind=each.kind,
            metadata=each.metadata,
            spec=fields.pop("spec", None),
            fields=fields,
            # Names are fixed, because other objects and people go by them: the old one goes first.
            opts=child_options(
                self, given, KubernetesObject, delete_before_replace=True, depends_on=before
            ),
        )


def render_outputs(spec: ControllerSpec, bindings: dict[str, Any]) -> str:
    """Return the stack's outputs as `pulumi stack output --json` prints them.

    Raises:
        InvalidInput: When they are more than a ConfigMap takes.
    """
    document = {"capacity": spec.capacity, "bindings": bindings}
    text = json.dumps(document, separators=(",", ":"), sort_keys=True)
    if len(text.encode()) > MAX_CONFIGURATION:
        reason = f"makes {len(text.encode())} bytes of configuration, more than a ConfigMap takes"
        expected = f"at most {MAX_CONFIGURATION}: fewer pools, or two stacks"
        raise refuse(spec.where, "capacity", None, reason, expected)
    return text


def identify(spec: ControllerSpec) -> dict[str, str]:
    """Return its names in the cluster."""
    return {
        "cloud": spec.cloud.value,
        "cluster": spec.cluster,
        "namespace": spec.namespace,
        "deployment": spec.id,
        "service": spec.id,
        "serviceAccount": spec.service_account,
        "clusterRole": spec.cluster_role,
    }
