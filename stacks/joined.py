"""What components need of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pulumi


@dataclass(frozen=True, slots=True)
class Joined:
    """What components need of a cluster.

    Attributes:
        resource: The cluster; whatever joins it comes after it.
        inputs: The nested arguments of a component in this cloud.
    """

    resource: pulumi.Resource
    inputs: dict[str, Any] = field(default_factory=dict)
