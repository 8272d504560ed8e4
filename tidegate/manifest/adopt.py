"""From a pool that somebody else made to the entry that declares it, without touching it.

The entry is what `tidegate:existingPools` of a stack's configuration takes, in its spelling.
Nothing is invented: what the cloud does not show is left out, and said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import CapacityType, PoolKind, Scaler
from tidegate.vocabulary.labels import (
    OPTIONAL_KEYS,
    REQUIRED_KEYS,
    LabelAliases,
    check_label_value,
)
from tidegate.vocabulary.observed import ObservedPool
from tidegate.vocabulary.problems import InvalidInput

OWN_LABELS = ("eks.amazonaws.com/", "cloud.google.com/", "kubernetes.azure.com/", "kubernetes.io/")
"""Prefixes of node labels that a cloud sets itself."""


@dataclass(frozen=True, slots=True)
class Adoption:
    """What declares one existing pool.

    Attributes:
        id: The pool's id in the manifest.
        entry: Its configuration, camelCase; without what nobody knows.
        missing: Keys that a person must add before the stack takes the entry.
        notes: What a person should know, one sentence each.
    """

    id: str
    entry: dict[str, Any]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    entry: dict[str, Any]
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def is_declared(pool: ObservedPool) -> bool:
    """Return whether Tidegate's components made the pool."""
    return pool.tags.get("managed-by") == "tidegate" and "capacity-pool" in pool.tags


def build_adoption(
    pool: ObservedPool,
    catalog: Catalog,
    *,
    scaler: Scaler | None = None,
    labels: Mapping[str, str] | None = None,
    shared: Collection[str] = (),
    aliases: LabelAliases | None = None,
) -> Adoption:
    """Return the entry that declares an existing pool.

    Args:
        pool: The pool as its cloud shows it.
        catalog: Tells the accelerator of its machines.
        scaler: Who resizes it, where the cloud does not show that.
        labels: Cost labels that the pool itself lacks; its own go first.
        shared: Keys of cost labels that the stack gives every entry.
        aliases: How the estate spells cost labels.
    """
    draft = _Draft(_state_facts(pool))
    _add_hardware(draft, pool, catalog)
    if pool.max_nodes is None:
        draft.missing.append("maxNodes")
    _add_scaler(draft, pool, scaler)
    _add_labels(draft, pool, labels or {}, aliases or LabelAliases())
    stated = {*draft.entry["labels"], *shared}
    draft.missing += [f"labels.{key}" for key in REQUIRED_KEYS if key not in stated]
    draft.entry["identifiers"] = dict(pool.identifiers)
    if "capacity-pool" not in pool.tags:
        draft.notes.append(
            "carries no label capacity-pool, so that its cost cannot be told apart in the bill"
        )
    return Adoption(derive_id(pool), draft.entry, tuple(draft.missing), tuple(draft.notes))


def derive_id(pool: ObservedPool) -> str:
    """Return the pool's id: its label `capacity-pool`, else its cluster's and its own name."""
    name = pool.tags.get("capacity-pool") or f"{pool.cluster}-{pool.name}".strip("-")
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:63].rstrip("-")


def _state_facts(pool: ObservedPool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "cloud": pool.cloud.value,
        "kind": pool.kind.value,
        "account": pool.account,
        "region": pool.region,
        "zones": list(pool.zones),
        "cluster": pool.cluster,
        "instanceTypes": list(pool.instance_types),
        "capacityType": pool.capacity_type.value,
        "minNodes": pool.min_nodes,
        "maxNodes": pool.max_nodes,
        "nodeLabels": {
            key: value for key, value in pool.node_labels.items() if not key.startswith(OWN_LABELS)
        },
        "taints": [
            {"key": taint.key, "value": taint.value, "effect": taint.effect}
            for taint in pool.taints
        ],
    }
    return {key: value for key, value in entry.items() if value not in ("", None, [], {})}


def _add_hardware(draft: _Draft, pool: ObservedPool, catalog: Catalog) -> None:
    if not pool.instance_types:
        draft.missing.append("instanceTypes")
        return
    try:
        chips = {
            (found.accelerator, found.accelerators_per_node or 0)
            for found in (catalog.instance_type(pool.cloud, name) for name in pool.instance_types)
        }
        if pool.accelerator:
            chips = {(_attached(pool.accelerator, catalog), pool.accelerators_per_node)}
    except InvalidInput as error:
        draft.notes += [f"{each.reason}: {each.value}" for each in error.problems]
        draft.missing.append("accelerator")
        return
    if len(chips) > 1:
        draft.notes.append("has machines with different accelerators, which no pool can mix")
        draft.missing.append("accelerator")
        return
    ((name, count),) = chips
    if name:
        draft.entry |= {"accelerator": name, "acceleratorsPerNode": count}
        if not count:
            draft.missing.append("acceleratorsPerNode")


def _attached(name: str, catalog: Catalog) -> str:
    """Return the canonical name of what Google calls `nvidia-tesla-t4`."""
    return catalog.accelerator(name).name


def _add_scaler(draft: _Draft, pool: ObservedPool, given: Scaler | None) -> None:
    found = pool.scaler or given
    if pool.scaler and given and given is not pool.scaler:
        draft.notes.append(
            f"is resized by {pool.scaler.value}, as its cloud shows; {given.value} is not taken"
        )
    if found:
        draft.entry["scaler"] = found.value
    else:
        draft.missing.append("scaler")
    if pool.capacity_type is CapacityType.RESERVED:
        draft.missing.append("reservation")
    if pool.kind is PoolKind.AUTO_SCALING_GROUP and not pool.node_labels and pool.min_nodes == 0:
        draft.notes.append("tells no autoscaler of its nodes' labels while it has none")


def _add_labels(
    draft: _Draft, pool: ObservedPool, given: Mapping[str, str], aliases: LabelAliases
) -> None:
    found: dict[str, str] = {}
    for spelling, value in pool.tags.items():
        key = aliases.canonical(spelling)
        if key not in (*REQUIRED_KEYS, *OPTIONAL_KEYS) or not value:
            continue
        faults = check_label_value(pool.name, key, value)
        if faults:
            draft.notes.append(f"label {spelling}: {faults[0].value} {faults[0].reason}")
        elif found.setdefault(key, value) != value:
            draft.notes.append(f"label {spelling} says {value}, another spelling {found[key]}")
    labels = {**given, **found}
    draft.entry["labels"] = labels
