"""What a compiled run of Polyaxon asks for, checked against what its server 2.18.0 stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tidegate.sources.pods import CLASS_LABEL, Chips, read_shape, sum_requests
from tidegate.vocabulary.capacity import InterruptionTolerance
from tidegate.vocabulary.demand import WorkShape
from tidegate.vocabulary.polyaxon_pods import Body, list_pods

SERVED = frozenset({"service"})
"""Kinds that somebody waits at, unless their label says otherwise; all others are batch work."""


class NothingAsked(ValueError):
    """A run from which nobody can tell what it needs; says why."""


def read_run(
    content: Body, chips: Chips, presets: Mapping[str, WorkShape], name: str
) -> list[WorkShape]:
    """Return what a run asks for, roles of one shape together; they start together.

    Args:
        content: The compiled operation.
        chips: What its pools have.
        presets: What a preset stands for where the run does not say it itself.
        name: What the run is called, for errors.

    Raises:
        NothingAsked: It starts no pod of its own, or one that would fit any node without end.
        ValueError: It is no compiled operation.
    """
    run = content["run"]
    labels = {} if run["kind"] in SERVED else {CLASS_LABEL: "training"}
    found: list[WorkShape] = []
    for replicas, part in list_pods(run):
        environment = part.get("environment") or {}
        spec = {
            "containers": [part["container"]],
            "nodeSelector": environment.get("nodeSelector"),
            "tolerations": environment.get("tolerations"),
        }
        _refuse_unknown(spec, chips, name)
        metadata = {
            "labels": {**labels, **(environment.get("labels") or {})},
            "annotations": environment.get("annotations"),
        }
        shape = read_shape(metadata, spec, chips, workers=replicas)
        found.append(_complete(shape, content.get("presets") or (), presets, chips))
    if not any(_asks(shape) for shape in found):
        raise NothingAsked(f"{name} ({run['kind']}) asks for nothing")
    return _merge([shape for shape in found if _asks(shape)])


def _refuse_unknown(spec: Body, chips: Chips, name: str) -> None:
    asked = {key for key in sum_requests(spec) if "/" in key}
    unknown = sorted(asked - set(chips.by_resource))
    if unknown:
        raise NothingAsked(f"{name} asks for {', '.join(unknown)}, which none of its pools has")


def _complete(
    shape: WorkShape, names: Any, presets: Mapping[str, WorkShape], chips: Chips
) -> WorkShape:
    """Return a shape with what its presets stand for; what the run says itself is kept."""
    for name in names:
        preset = presets.get(name)
        if preset is None:
            continue
        place = preset.placement.pools
        if place and shape.placement.pools == chips.pools:
            shape = replace(
                shape,
                placement=replace(shape.placement, pools=place),
                interruption_tolerance=InterruptionTolerance.TOLERANT,
            )
        shape = replace(
            shape,
            accelerators=shape.accelerators or preset.accelerators,
            vcpus_milli=shape.vcpus_milli or preset.vcpus_milli,
            memory_mib=shape.memory_mib or preset.memory_mib,
            priority=shape.priority or preset.priority,
        )
        if shape.wait_target_seconds is None:
            shape = replace(shape, wait_target_seconds=preset.wait_target_seconds)
    return shape


def _asks(shape: WorkShape) -> bool:
    return bool(shape.accelerators or shape.vcpus_milli or shape.memory_mib)


def _merge(shapes: list[WorkShape]) -> list[WorkShape]:
    """Return roles that ask for the same as one, so that all of its workers start together."""
    found: dict[WorkShape, int] = {}
    for shape in shapes:
        alike = replace(shape, workers=1)
        found[alike] = found.get(alike, 0) + shape.workers
    return [replace(shape, workers=workers) for shape, workers in found.items()]
