"""What a manifest leaves to Tidegate to stop, as rules of the decision."""

from __future__ import annotations

from tidegate.manifest.model import Manifest, Notebook
from tidegate.manifest.reapables import Reapable, list_reapables, name_reapable
from tidegate.scaling.reaping import ReapAction, ReapRule

OWNER = "owner"


def build_reap_rules(manifest: Manifest) -> tuple[ReapRule, ...]:
    """Return a rule for each notebook and endpoint that Tidegate may stop, by id."""
    rules = [_build(declared) for declared in list_reapables(manifest)]
    return tuple(sorted(rules, key=lambda rule: rule.id))


def _build(declared: Reapable) -> ReapRule:
    owner = declared.labels.get(OWNER, "")
    assert declared.idle_shutdown_seconds is not None  # nothing else is listed
    if isinstance(declared, Notebook):
        return ReapRule(
            name_reapable(declared),
            owner,
            declared.idle_shutdown_seconds,
            ReapAction.STOP,
            declared.max_age_seconds,
        )
    removes = declared.idle_action == "remove"
    return ReapRule(
        name_reapable(declared),
        owner,
        declared.idle_shutdown_seconds,
        ReapAction.REMOVE if removes else ReapAction.SHRINK,
        least=declared.min_replicas,
    )
