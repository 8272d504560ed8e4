"""Tags by ARN: one pair of shapes a service, one meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.aws.kept.calls import Asked
from tidegate.localclouds.aws.kept.kinds import Handler, read_tags, to_pairs
from tidegate.localclouds.aws.kept.shelves import Body


def build_tag_handlers(
    names: tuple[str, str, str], member: str, *, as_pairs: bool
) -> Mapping[str, Handler]:
    """Return the handlers of a service's three tag actions.

    What is not kept here is left to moto.

    Args:
        names: The actions that list, add and remove.
        member: The member of the answer that holds tags.
        as_pairs: Whether tags are answered as a list of pairs, not as a map.
    """

    def show(tags: dict[str, str]) -> Body:
        return {member: to_pairs(tags) if as_pairs else dict(tags)}

    def list_tags(asked: Asked) -> Body | None:
        tags = _find(asked)
        return None if tags is None else show(tags)

    def add(asked: Asked) -> Body | None:
        tags = _find(asked)
        if tags is None:
            return None
        tags |= read_tags(asked.parameters)
        return show(tags)

    def remove(asked: Asked) -> Body | None:
        tags = _find(asked)
        if tags is None:
            return None
        for key in _read(asked.parameters, "tagkeys") or _read(asked.parameters, "resourcetagkeys"):
            tags.pop(key, None)
        return {}

    return dict(zip(names, (list_tags, add, remove), strict=True))


def _find(asked: Asked) -> dict[str, str] | None:
    return asked.shelves.tags.get(str(_read(asked.parameters, "resourcearn")))


def _read(parameters: Mapping[str, Any], name: str) -> Any:
    found = [value for key, value in parameters.items() if key.lower() == name]
    return found[0] if found else ()
