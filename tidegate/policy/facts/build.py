"""All facts of one resource, by their names; a name is absent where it does not apply."""

from __future__ import annotations

from typing import Any

from tidegate.policy.facts.budgets import build_budget
from tidegate.policy.facts.capacity import build_machines
from tidegate.policy.facts.commitments import build_commitment
from tidegate.policy.facts.idle import build_idle
from tidegate.policy.facts.places import build_region
from tidegate.policy.facts.signals import build_log_levels, build_series
from tidegate.policy.facts.storage import build_bucket, build_lifecycle, build_versioning
from tidegate.policy.graph import Resource


def build_facts(resource: Resource) -> dict[str, Any]:
    """Return what a resource says in the words that rules share."""
    found = {
        "budget": build_budget(resource),
        "machines": build_machines(resource) or None,
        "commitment": build_commitment(resource),
        "idle": build_idle(resource),
        "logLevels": build_log_levels(resource) or None,
        "series": build_series(resource),
        "bucket": build_bucket(resource),
        "lifecycle": build_lifecycle(resource),
        "versioning": build_versioning(resource),
    }
    region = build_region(resource)
    if region["state"] != "absent":
        found["region"] = region
    return {name: value for name, value in found.items() if value is not None}
