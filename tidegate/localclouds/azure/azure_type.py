"""Every Azure type that an API backs, for the engine: one behaviour, told its kind."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.answered import as_answered
from tidegate.localclouds.azure.aks_rules import SPOT_LABEL, SPOT_TAINT
from tidegate.localclouds.azure.arm import Arm, shown
from tidegate.localclouds.azure.arm_checks import check_body
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, parse_id, subscription_of
from tidegate.localclouds.azure.kind import Kind
from tidegate.localclouds.azure.kinds import AGENT_POOL, MANAGED_CLUSTER, RESOURCE_GROUP
from tidegate.localclouds.azure.places import GLOBAL, check_region, fold_region
from tidegate.localclouds.bodies import Body, apply_changes
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.rest_shape import build_properties, build_rest, pulumi_place
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record
from tidegate.localclouds.stored import StoredType


class AzureType(StoredType):
    """One kind of resource."""

    backing = "api"

    def __init__(self, arm: Arm, kind: Kind) -> None:
        self._arm = arm
        self._kind = kind

    def build_id(self, inputs: Values, call: Call) -> ArmId:
        """Return the id that the inputs name."""
        if self._kind.is_extension:
            own = f"providers/{self._kind.type}/{inputs[self._kind.own_name]}"
            return parse_id(f"{inputs.get('scope') or ''}/{own}")
        subscription, group = subscription_of(call.settings), str(inputs["resourceGroupName"])
        if self._kind is RESOURCE_GROUP:
            return ArmId(subscription, group)
        namespace, *types = self._kind.type.split("/")
        names = [
            name.removeprefix("=") if name.startswith("=") else str(inputs[name])
            for name in self._kind.names
        ]
        return ArmId(subscription, group, namespace, tuple(types), tuple(names))

    def build_body(self, inputs: Values) -> Body:
        """Return the REST body that the inputs ask for."""
        # REST takes sets of names as it answers them, as maps.
        given = {
            key: value
            for key, value in as_answered(load_schema(self._kind.token), inputs).items()
            if key not in self._kind.path_inputs and value is not None
        }
        envelope = {key: value for key, value in given.items() if key in self._kind.envelope}
        inside = {key: value for key, value in given.items() if key not in self._kind.envelope}
        asked: Any = inside.get("properties", {}) if self._kind.owns_properties else inside
        if asked is UNKNOWN:
            return {**envelope, "properties": UNKNOWN}
        return {**envelope, "properties": build_rest(self._kind.shape, asked)}

    def prepare(self, inputs: Values, call: Call) -> Values:
        """Fill in the only name that there can be, and the provider's location."""
        own = self._kind.own_name
        filled = dict(inputs)
        if own in {"blobServicesName", "managementPolicyName", "queueServiceName"}:
            filled.setdefault(own, "default")
        if self._kind is RESOURCE_GROUP and call.settings.get("location"):
            filled.setdefault("location", call.settings["location"])
        return filled

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Say what Azure refuses, in Pulumi's spelling."""
        location = inputs.get("location")
        is_global = self._kind.is_global and str(location).lower() == GLOBAL
        if isinstance(location, str) and not is_global:
            for reason in check_region(location):
                yield CheckFailure("location", reason)
        own = self._kind.own_name
        name = inputs.get(own)
        for failure in check_body(self._kind, name, self.build_body(inputs)):
            yield CheckFailure(self._place(failure.property), failure.reason)

    def _place(self, rest_place: str) -> str:
        if rest_place == "name":
            return self._kind.own_name
        inside = rest_place.removeprefix("properties.")
        if self._kind.owns_properties:
            return rest_place
        return pulumi_place(self._kind.shape, inside) if inside != rest_place else rest_place

    def create(self, inputs: Values, call: Call) -> Created:
        """Create it; what exists already under that id is refused, as the provider does."""
        arm_id = self.build_id(inputs, call)
        if self._arm.shelf.get(self._kind.type, arm_id.key) is not None:
            raise refused(
                "ResourceAlreadyExists",
                f"cannot create already existing resource '{arm_id}'",
                409,
            )
        body, _ = self._arm.put(arm_id, self._locate(arm_id, self.build_body(inputs)))
        return Created(str(arm_id), self._outputs(body, inputs))

    def _locate(self, id: ArmId, body: Body) -> Body:
        """Give a resource without a location that of its group, as the provider does."""
        if "location" in self._kind.envelope and "location" not in body:
            group = self._arm.get(ArmId(id.subscription, id.group))
            body["location"] = group["location"]
        return body

    def read(self, record: Record, call: Call) -> Values | None:
        """Return what is live."""
        try:
            body = self._arm.get(parse_id(record.id))
        except NotFoundError:
            return None
        return self._outputs(body, record.inputs)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Carry what changed over to the live body."""
        arm_id = parse_id(record.id)
        live = self._arm.get(arm_id)
        asked = apply_changes(live, self.build_body(old), self.build_body(new))
        if self._kind is MANAGED_CLUSTER:
            _keep_inline_pools(asked, new)
        body, _ = self._arm.put(arm_id, asked)
        return self._outputs(body, new)

    def delete(self, record: Record, call: Call) -> None:
        """Delete it; what every account or workspace has from the start goes back to it."""
        arm_id = parse_id(record.id)
        try:
            self._arm.get(arm_id)
        except NotFoundError:
            return
        if self._arm.logic_of(self._kind).implied(self._arm, arm_id) is not None:
            self._arm.shelf.delete(self._kind.type, arm_id.key)
            return
        self._arm.delete(arm_id)

    def adopt(self, id: str, call: Call) -> Values | None:
        """Return the inputs of a live resource that no program made."""
        parsed = parse_id(id)
        try:
            body = self._arm.get(parsed)
        except NotFoundError:
            return None
        names = zip(self._kind.names, parsed.names or (parsed.group,), strict=True)
        path = {name: value for name, value in names if not name.startswith("=")}
        # An agent pool's own `type` hides behind the resource's, unless it was asked for.
        asked = {"type": True} if self._kind is AGENT_POOL else {}
        if self._kind.is_extension:
            scope, _, _ = str(parsed).rpartition(f"/providers/{parsed.namespace}/")
            return {"scope": scope, **path, **self._outputs(body, asked)}
        return {"resourceGroupName": parsed.group, **path, **self._outputs(body, asked)}

    def _outputs(self, body: Body, inputs: Values) -> Values:
        body = shown(body)
        properties = build_properties(self._kind.shape, body.pop("properties"))
        outputs: Values = {**properties, **body}
        if "properties" in load_schema(self._kind.token).outputs:
            outputs = {**({} if self._kind.owns_properties else properties), **body}
            outputs["properties"] = properties
        asked = inputs.get("location")
        if isinstance(asked, str) and fold_region(asked) == outputs.get("location"):
            outputs["location"] = asked
        if self._kind is AGENT_POOL:
            _show_pool(outputs, properties, inputs)
        if self._kind is MANAGED_CLUSTER:
            _show_inline_pools(outputs, inputs)
        outputs["azureApiVersion"] = "local"
        return outputs


def _show_pool(outputs: Values, properties: Values, inputs: Values) -> None:
    """Leave AKS's own spot label and taint out unless they were asked for.

    `type` is the pool's own type in the inputs and the resource's type in the outputs: what was
    asked for is read back.
    """
    if "type" in inputs:
        outputs["type"] = properties["type"]
    asked_labels: Any = inputs.get("nodeLabels") or {}
    asked_taints: Any = inputs.get("nodeTaints") or []
    outputs["nodeLabels"] = {
        key: value
        for key, value in properties["nodeLabels"].items()
        if key not in SPOT_LABEL or key in asked_labels
    }
    outputs["nodeTaints"] = [
        taint for taint in properties["nodeTaints"] if taint != SPOT_TAINT or taint in asked_taints
    ]


def _show_inline_pools(outputs: Values, inputs: Values) -> None:
    """Show the pools that the cluster was made with: others are resources of their own."""
    asked = {pool["name"] for pool in inputs.get("agentPoolProfiles") or []}
    if asked:
        outputs["agentPoolProfiles"] = [
            pool for pool in outputs["agentPoolProfiles"] if pool["name"] in asked
        ]


def _keep_inline_pools(asked: Body, inputs: Values) -> None:
    """Put no pool again that is a resource of its own."""
    names = {pool["name"] for pool in inputs.get("agentPoolProfiles") or []}
    pools = asked["properties"].get("agentPoolProfiles") or []
    asked["properties"]["agentPoolProfiles"] = [pool for pool in pools if pool["name"] in names]
