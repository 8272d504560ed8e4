"""What components need of a cluster and of what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi


@dataclass(slots=True)
class Joined:
    """What components need of a cluster and of what stands beside it.

    Attributes:
        resource: The cluster; whatever joins it comes after it.
        inputs: What is there anyway, by the name of the argument that takes it.
        offers: What is declared when a component first takes it: a role, a workspace, a provider.
    """

    resource: pulumi.Resource
    inputs: dict[str, Any] = field(default_factory=dict)
    offers: Mapping[str, Callable[[], dict[str, Any]]] = field(default_factory=dict)

    def take(self, name: str) -> Any:
        """Return an input; None where this cloud has none of that name."""
        if name not in self.inputs and name in self.offers:
            self.inputs.update(self.offers[name]())
        return self.inputs.get(name)
