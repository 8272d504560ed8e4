"""Limits that no SDK carries, as data: ranges, name grammars, replacements, auto-names.

One file a cloud, `data/<package>.toml`, and parts of it where it is long, in this form (paths in
Pulumi's spelling; `[]` stands for every element of a list or every value of a map):

    [types."aws:cloudwatch/logGroup:LogGroup"]
    source = "botocore service model of CloudWatch Logs, PutRetentionPolicy"
    replace = ["name", "logGroupClass"]      # a change of these replaces the resource
    delete_first = true                      # the replacement is created after the deletion
    autoname = "name"                        # filled from the logical name when left out
    autoname_max = 512                       # at most so long, the random suffix included
    autoname_form = "plain"                  # plain | lower | lower-alnum | uuid
    id = "{name}"                            # for stored types: from inputs and settings
    immutable = ["x"]                        # a change is refused, the cloud cannot replace it
    secret_outputs = ["primaryKey"]          # outputs that are secret whatever the inputs are
    unemulated = ["warmPool"]                # the cloud's API could not show them here: refused
    autoname_suffix = 7                      # how many random characters an auto-name ends with

    [[types."aws:cloudwatch/logGroup:LogGroup".limits]]
    property = "retentionInDays"
    one_of = [0, 1, 3, 5]                    # or: min, max, pattern, max_length, min_length,
    reason = "…"                             #     max_items, min_items, not_with = ["other"],
                                             #     requires = ["other"]

`reason` is optional: without it the limit itself is said. A limit on an absent or unknown
property holds. A table `[every]` holds for each type of the file, and for those it does not name;
`autoname` may be a path ("metadata.name").
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from tidegate.localclouds.contracts import UNKNOWN, CheckFailure, Values


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit on one property."""

    property: str
    reason: str = ""
    one_of: tuple[Any, ...] = ()
    min: float | None = None
    max: float | None = None
    pattern: str = ""
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    not_with: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeRules:
    """What the data file says of one type; see the module's words."""

    source: str = ""
    replace: tuple[str, ...] = ()
    delete_first: bool = False
    autoname: str = ""
    autoname_max: int = 0
    autoname_form: str = "plain"
    autoname_suffix: int = 7
    id: str = ""
    immutable: tuple[str, ...] = ()
    secret_outputs: tuple[str, ...] = ()
    unemulated: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = field(default=())


NO_RULES = TypeRules()


@cache
def load_rules(package: str) -> Mapping[str, TypeRules]:
    """Read `data/<package>.toml`: rules by type token. A cloud without a file has none."""
    document = _load(package)
    every = document.get("every", {})
    return {token: _build_rules(every, body) for token, body in document.get("types", {}).items()}


@cache
def load_every(package: str) -> TypeRules:
    """Read what holds for the types of a cloud that its file does not name."""
    return _build_rules(_load(package).get("every", {}), {})


@cache
def _load(package: str) -> dict[str, Any]:
    """Read a cloud's file, and the types of its parts (`<package>.<part>.toml`)."""
    folder = resources.files("tidegate.localclouds") / "data"
    file = folder / f"{package}.toml"
    document = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for part in folder.iterdir():
        if part.name.startswith(f"{package}.") and part.name.count(".") > 1:
            document["types"] |= tomllib.loads(part.read_text(encoding="utf-8"))["types"]
    return document


def _build_rules(every: dict[str, Any], body: dict[str, Any]) -> TypeRules:
    added = {
        key: [*every.get(key, []), *value] if isinstance(value, list) else value
        for key, value in body.items()
    }
    merged = {**every, **added}
    limits = tuple(Limit(**_tuples(limit)) for limit in merged.pop("limits", []))
    return TypeRules(**_tuples(merged), limits=limits)


def _tuples(body: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in body.items()}


def find_values(values: Values, path: str) -> Iterator[tuple[str, Any]]:
    """Yield (place, value) for every value at a path such as "taints[].effect"."""
    found: list[tuple[str, Any]] = [("", values)]
    for part in re.findall(r"[^.\[\]]+|\[\]", path):
        found = [hit for place, value in found for hit in _step(place, value, part)]
    yield from found


def _step(place: str, value: Any, part: str) -> Iterator[tuple[str, Any]]:
    if part == "[]" and isinstance(value, list):
        yield from ((f"{place}[{index}]", item) for index, item in enumerate(value))
    elif part == "[]" and isinstance(value, dict):
        yield from ((f"{place}.{key}", item) for key, item in value.items())
    elif isinstance(value, dict) and value.get(part) is not None:
        yield (f"{place}.{part}" if place else part), value[part]


def check_limits(rules: TypeRules, inputs: Values) -> list[CheckFailure]:
    """Return a failure for each value beyond its limit, and each that is not emulated."""
    unemulated = [
        CheckFailure(name, "the local clouds do not emulate this property")
        for name in rules.unemulated
        if inputs.get(name) is not None
    ]
    return unemulated + [
        CheckFailure(place, limit.reason or reason)
        for limit in rules.limits
        for place, value in find_values(inputs, limit.property)
        if value is not UNKNOWN
        for reason in _break(limit, value, inputs)
    ]


def _break(limit: Limit, value: Any, inputs: Values) -> Iterator[str]:
    for test in (_break_choice, _break_range, _break_text, _break_size):
        yield from test(limit, value)
    for other in limit.not_with:
        if any(True for _ in find_values(inputs, other)):
            yield f"conflicts with {other}"
    for other in limit.requires:
        if not any(True for _ in find_values(inputs, other)):
            yield f"requires {other}"


def _break_choice(limit: Limit, value: Any) -> Iterator[str]:
    if limit.one_of and value not in limit.one_of:
        yield f"expected one of {list(limit.one_of)}, got {value!r}"


def _break_range(limit: Limit, value: Any) -> Iterator[str]:
    if not isinstance(value, int | float):
        return
    if limit.min is not None and value < limit.min:
        yield f"expected at least {limit.min}, got {value}"
    if limit.max is not None and value > limit.max:
        yield f"expected at most {limit.max}, got {value}"


def _break_text(limit: Limit, value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        return
    if limit.pattern and not re.fullmatch(limit.pattern, value):
        yield f"{value!r} does not match {limit.pattern}"
    if limit.min_length is not None and len(value) < limit.min_length:
        yield f"expected at least {limit.min_length} characters, got {len(value)}"
    if limit.max_length is not None and len(value) > limit.max_length:
        yield f"expected at most {limit.max_length} characters, got {len(value)}"


def _break_size(limit: Limit, value: Any) -> Iterator[str]:
    if not isinstance(value, list | dict):
        return
    if limit.min_items is not None and len(value) < limit.min_items:
        yield f"expected at least {limit.min_items} items, got {len(value)}"
    if limit.max_items is not None and len(value) > limit.max_items:
        yield f"expected at most {limit.max_items} items, got {len(value)}"
