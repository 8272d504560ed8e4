"""Azure Resource Manager ids: parsing, building, and what an id's parts say."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tidegate.localclouds.azure.errors import refused

LOCAL_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
GROUP_TYPE = "Microsoft.Resources/resourceGroups"


@dataclass(frozen=True, slots=True)
class ArmId:
    """One id, or the collection that it stands in when the last name is missing.

    Attributes:
        subscription: The subscription; empty for what stands above all of them.
        group: The resource group; empty for what spans a subscription.
        namespace: The resource provider ("Microsoft.Compute"); empty for a group itself.
        types: The resource types from the outermost in.
        names: The names beside them; one fewer than types for a collection.
        scope: For what hangs on another resource (a role assignment), that resource's path
            within its group ("providers/Microsoft.Compute/capacityReservationGroups/held").
    """

    subscription: str
    group: str = ""
    namespace: str = ""
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    scope: str = ""

    def __str__(self) -> str:
        text = f"/subscriptions/{self.subscription}" if self.subscription else ""
        if self.group:
            text += f"/resourceGroups/{self.group}"
        if self.scope:
            text += f"/{self.scope}"
        if self.namespace:
            text += f"/providers/{self.namespace}"
        for index, kind in enumerate(self.types):
            text += f"/{kind}"
            if index < len(self.names):
                text += f"/{self.names[index]}"
        return text

    @property
    def kind(self) -> str:
        """The full resource type ("Microsoft.ContainerService/managedClusters/agentPools")."""
        return "/".join([self.namespace, *self.types]) if self.namespace else GROUP_TYPE

    @property
    def name(self) -> str:
        """The resource's own name."""
        return self.names[-1] if self.names else self.group

    @property
    def key(self) -> str:
        """The id as the store keys it: Azure's ids are the same in any case."""
        return str(self).lower()

    @property
    def is_collection(self) -> bool:
        """Whether the id names a collection and no resource."""
        return len(self.types) > len(self.names)

    def parent(self) -> ArmId:
        """Return the resource that this one stands in; of a group's own resource the group."""
        if len(self.types) > 1:
            types = self.types[:-1]
            names = self.names[: len(types)]
            return ArmId(self.subscription, self.group, self.namespace, types, names, self.scope)
        if self.scope:
            return parse_id(f"{ArmId(self.subscription, self.group)}/{self.scope}")
        return ArmId(self.subscription, self.group)

    def child(self, kind: str, name: str) -> ArmId:
        """Return a resource inside this one."""
        types, names = (*self.types, kind), (*self.names, name)
        return ArmId(self.subscription, self.group, self.namespace, types, names, self.scope)


def parse_id(text: str) -> ArmId:
    """Parse an id or a collection's path.

    Raises:
        CloudError: When the text is no id.
    """
    steps = [step for step in text.split("/") if step]
    if len(steps) < 2 or steps[0].lower() not in ("subscriptions", "providers"):
        raise refused("InvalidResourceId", f"'{text}' is not a resource id of Azure.")
    is_above = steps[0].lower() == "providers"
    found = ArmId("" if is_above else steps[1])
    rest = steps if is_above else steps[2:]
    if rest and rest[0].lower() == "resourcegroups":
        found = ArmId(found.subscription, rest[1] if len(rest) > 1 else "")
        rest = rest[2:]
    if not rest:
        return found
    last = max((index for index, step in enumerate(rest) if step.lower() == "providers"), default=0)
    scope, rest = "/".join(rest[:last]), rest[last:]
    if rest[0].lower() != "providers" or len(rest) < 3:
        raise refused("InvalidResourceId", f"'{text}' is not a resource id of Azure.")
    types, names = tuple(rest[2::2]), tuple(rest[3::2])
    return ArmId(found.subscription, found.group, rest[1], types, names, scope)


def subscription_of(settings: Mapping[str, Any]) -> str:
    """Return the provider's subscription, or the local one."""
    return str(settings.get("subscriptionId") or LOCAL_SUBSCRIPTION)


def identify(text: str) -> str:
    """Return a stable UUID for a text."""
    return str(uuid.UUID(bytes=hashlib.sha256(text.lower().encode()).digest()[:16], version=4))


def now() -> str:
    """Return the present as Azure writes times."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digits_of(text: str, length: int = 8) -> str:
    """Return stable decimal digits for a text."""
    return str(int(hashlib.sha256(text.lower().encode()).hexdigest(), 16))[:length]
