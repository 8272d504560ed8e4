"""The component `Controller`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

from collections.abc import Mapping
from typing import Any

import pulumi

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import require_inputs
from tidegate_components.children import child_options
from tidegate_components.controller.args import ControllerArgs
from tidegate_components.controller.files import build_files
from tidegate_components.controller.identities import list_required
from tidegate_components.controller.objects import ClusterObject, build_objects
from tidegate_components.controller.parse import parse_controller
from tidegate_components.controller.spec import ControllerSpec
from tidegate_components.kubernetes_object import KubernetesObject


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
        inputs = gather_controller_inputs(spec, args)
        super().__init__("tidegate:index:Controller", name, None, opts)
        before: list[pulumi.Resource] = []
        for each in build_objects(spec, inputs, build_files(spec, inputs)):
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


def gather_controller_inputs(spec: ControllerSpec, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return what may be an Output, by name; the identity of a cloud that has none is empty.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    own: dict[str, Any] = {cloud.value: args.get(cloud.value) or {} for cloud in Cloud}
    given = {key: args.get(key) for key in ("image", "bindings")}
    identities = {
        f"{cloud.value}.{key}": own[cloud.value].get(key) for cloud, key in list_required(spec)
    }
    require_inputs(spec.where, {**given, **identities})
    return {**given, **own}


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
