"""What ARM holds a body against before it is kept: its kind's rules, what exists, what was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tidegate.localclouds.azure.errors import invalid_parameter, no_reference, refused
from tidegate.localclouds.azure.ids import ArmId, parse_id
from tidegate.localclouds.azure.kind import Kind
from tidegate.localclouds.azure.kinds import BY_TYPE
from tidegate.localclouds.azure.tag_rules import check_tags
from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.rules import check_limits, find_values

Find = Callable[[ArmId], Body | None]


def check_body(kind: Kind, name: Any, body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Say what Azure refuses in a body; places are paths in it, "name" is the resource's name."""
    if isinstance(name, str) and kind.name_pattern and not re.fullmatch(kind.name_pattern, name):
        yield CheckFailure("name", f"The name '{name}' is not valid: {kind.name_rule}")
    for place in kind.required:
        if look(body, place) is None:
            yield CheckFailure(place, f"Required parameter '{place}' is missing (null).")
    yield from check_limits(kind.limits, dict(body))
    yield from kind.check(name, body)
    if "tags" in kind.envelope:
        yield from check_tags(body.get("tags"))


def check_references(find: Find, kind: Kind, id: ArmId, body: Body) -> None:
    """Refuse the ids in a body that name nothing, or something of another type.

    Raises:
        NotFoundError: For what does not exist.
    """
    for reference in kind.references:
        for _, text in find_values(body, reference.at):
            check_reference(find, str(text), id, reference.types)


def check_reference(find: Find, text: str, holder: ArmId, types: Sequence[str] = ()) -> None:
    """Refuse an id that names nothing; what no API backs here is taken at its word."""
    target = parse_id(text)
    if types and target.kind.lower() not in {kind.lower() for kind in types}:
        raise refused(
            "LinkedInvalidPropertyId",
            f"Property id '{text}' of '{holder}' is invalid: it names a {target.kind}, and "
            f"{' or '.join(types)} is expected.",
        )
    is_backed = target.kind.lower() in BY_TYPE and (target.group or target.namespace)
    if is_backed and find(target) is None:
        raise no_reference(str(target), str(holder))


def raise_first(failures: Iterable[CheckFailure]) -> None:
    """Raise the first failure as Azure's InvalidParameter."""
    for failure in failures:
        raise invalid_parameter(failure.property, failure.reason)


def refuse_changes(old: Body | None, body: Body, properties: Iterable[str]) -> None:
    """Refuse a change of what can only be set once; what is left out stays as it was.

    Args:
        old: The live body, None for a new resource.
        body: The body that is asked for.
        properties: Paths in `properties` that cannot change.
    """
    if old is None:
        return
    for word in properties:
        before, after = look(old, f"properties.{word}"), look(body, f"properties.{word}")
        if after is None and before is not None:
            _put_back(body["properties"], word, before)
        elif before != after:
            raise refused(
                "PropertyChangeNotAllowed",
                f"Changing property 'properties.{word}' is not allowed: it is {before!r}, and "
                f"{after!r} was asked for.",
                400,
            )


def _put_back(part: Body, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for word in parents:
        part = part.setdefault(word, {})
    part[last] = value
