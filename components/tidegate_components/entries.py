"""Reads arguments as entries of the manifest's models, and checks them as the manifest does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tidegate.manifest.check import check_pool
from tidegate.manifest.faults import describe_faults
from tidegate.manifest.model import Pool
from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.labels import CostLabels
from tidegate_components.arguments import Arguments

Model = TypeVar("Model", bound=BaseModel)


def read_entries(read: Arguments, key: str, shape: type[Any], model: type[Model]) -> list[Model]:
    """Return the nested object, or objects, of an argument as entries of the manifest's model."""
    value = read.plain(key)
    if value is None:
        return []
    single = isinstance(value, Mapping)
    before = len(read.problems)
    if single:
        read.nested(key, shape)
    else:
        read.nested_list(key, shape)
    if len(read.problems) > before:
        return []
    found: list[Model] = []
    for index, item in enumerate([value] if single else value):
        place = key if single else f"{key}[{index}]"
        try:
            found.append(model.model_validate(item))
        except ValidationError as error:
            faults = describe_faults(read.where, item, error)
            read.problems += [
                replace(fault, property=f"{place}.{snake_case(fault.property)}") for fault in faults
            ]
    return found


def read_workload_classes(read: Arguments, labels: CostLabels) -> tuple[WorkloadClass, ...]:
    """Return the classes of work that a pool accepts; that of its labels unless stated."""
    names = read.texts("workload_classes") or (labels.workload_class.value,)
    known = {member.value for member in WorkloadClass}
    for index, value in enumerate(names):
        if value not in known:
            expected = f"one of {', '.join(sorted(known))}"
            read.refuse(f"workload_classes[{index}]", value, "is no workload class", expected)
    return tuple(WorkloadClass(value) for value in names if value in known)


def check_entry(read: Arguments, pool: Pool) -> None:
    """Apply the manifest's own checks of a pool, in the words of the arguments."""
    for problem in check_pool(pool):
        words = {f: snake_case(getattr(problem, f)) for f in ("property", "reason", "expected")}
        read.problems.append(replace(problem, **words))


def snake_case(text: str) -> str:
    """Return the manifest's camelCase names in a text as the arguments spell them."""
    return re.sub(r"(?<=[a-z])([A-Z])(?=[a-z])", lambda match: f"_{match[1].lower()}", text)
