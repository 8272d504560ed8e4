"""What an object gets wrong by itself, whoever writes it: Pulumi or a Kubernetes client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.kubernetes.crds import CustomKind
from tidegate.localclouds.kubernetes.kinds import Kind
from tidegate.localclouds.kubernetes.object_rules import check_object
from tidegate.localclouds.naming import find_rules
from tidegate.localclouds.rules import check_limits, find_values
from tidegate.localclouds.schema import ResourceSchema, load_schema
from tidegate.localclouds.shapes import check_shapes

# What the API server fills into built-in kinds, as far as anything here reads it.
DEFAULTS: Mapping[str, Body] = {
    "kubernetes:apps/v1:Deployment": {
        "spec": {
            "replicas": 1,
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
            "strategy": {"type": "RollingUpdate"},
        }
    },
    "kubernetes:apps/v1:StatefulSet": {"spec": {"replicas": 1}},
    "kubernetes:core/v1:Service": {"spec": {"type": "ClusterIP", "sessionAffinity": "None"}},
    "kubernetes:scheduling.k8s.io/v1:PriorityClass": {"preemptionPolicy": "PreemptLowerPriority"},
}


class Validation:
    """Holds objects against forms, limits and the rules over several fields.

    Unknown fields are refused, as with `fieldValidation=Strict`, whatever a client asks for.
    """

    def __init__(self, custom: Mapping[str, CustomKind]) -> None:
        self._custom = custom

    def check(self, kind: Kind, body: Body) -> list[CheckFailure]:
        """Return a failure for each fault."""
        failures = check_shapes(self._schema(kind), body)
        failures = failures or check_limits(find_rules("kubernetes", kind.token), body)
        return failures or list(check_object(kind.token, body))

    def _schema(self, kind: Kind) -> ResourceSchema:
        custom = self._custom.get(kind.token)
        return custom.schema if custom else load_schema(kind.token)

    def check_change(self, kind: Kind, old: Body, new: Body) -> list[CheckFailure]:
        """Return a failure for each immutable field that differs."""
        return [
            CheckFailure(path, "field is immutable")
            for path in find_rules("kubernetes", kind.token).replace
            if _at(old, path) != _at(new, path)
        ]


def _at(body: Body, path: str) -> list[Any]:
    return [value for _, value in find_values(body, path)]
