"""The life of a kept resource, the same for every kind: create, describe, update, delete, list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.localclouds.aws.kept.calls import Asked, now
from tidegate.localclouds.aws.kept.shelves import Body, Key
from tidegate.localclouds.refusals import CloudError

Handler = Callable[[Asked], Body | None]
"""Answers one action; None leaves it to moto."""
# Members of a creation that are no part of what is described, or are kept apart.
NOT_KEPT = frozenset({"tags", "Tags", "ResourceTags", "clientToken", "clientRequestToken"})


def _pass(asked: Asked, body: Body) -> None:
    """Refer to nothing."""


def _add_nothing(asked: Asked, body: Body) -> Body:  # noqa: ARG001 - as every completion
    return {}


def say_missing(noun: str, name: str) -> CloudError:
    """Return what SageMaker and its like say of a name that nothing has."""
    return CloudError("ValidationException", f'Could not find {noun} "{name}".')


def say_taken(noun: str, name: str) -> CloudError:
    """Return what SageMaker and its like say of a name that is taken."""
    return CloudError("ValidationException", f'Cannot create already existing {noun} "{name}".')


@dataclass(frozen=True)
class Kind:
    """One kind of resource of a kept service.

    Attributes:
        name: What it is called in errors ("endpoint configuration").
        key: The members that name one within a region.
        arn_member: The member that holds its ARN.
        arn: The resource part of the ARN, with members in braces; "" where it is generated.
        renamed: Members that are described under another name than they are given.
        times: Members that hold when it was created and last changed.
        defaults: Members that the service fills in when they are left out.
        check: Refuses references to what does not exist.
        complete: Returns what the service adds at creation, from the body so far.
        missing: The error for a key that nothing has.
        taken: The error for a key that is taken.
    """

    name: str
    key: tuple[str, ...]
    arn_member: str
    arn: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    times: tuple[str, ...] = ("CreationTime", "LastModifiedTime")
    defaults: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Asked, Body], None] = _pass
    complete: Callable[[Asked, Body], Body] = _add_nothing
    missing: Callable[[str, str], CloudError] = say_missing
    taken: Callable[[str, str], CloudError] = say_taken

    def shelf(self, asked: Asked) -> dict[Key, Body]:
        """Return the bodies of this kind where the request is asked."""
        return asked.shelves.of(f"{asked.service}/{self.name}", asked.region)

    def key_of(self, members: Mapping[str, Any]) -> Key:
        """Return the key that members name."""
        return tuple(str(members.get(name, "")) for name in self.key)

    def find(self, asked: Asked, members: Mapping[str, Any] | None = None) -> Body:
        """Return the body that the request (or other members) names, or refuse."""
        key = self.key_of(asked.parameters if members is None else members)
        body = self.shelf(asked).get(key)
        if body is None:
            raise self.missing(self.name, "/".join(key))
        return body

    def create(self, asked: Asked, given: Mapping[str, Any], generated: Body) -> Body:
        """Keep a new one and return its body.

        Args:
            asked: The request, whose tags it gets.
            given: The members that describe it.
            generated: Members that the service gives it before all else (its id).
        """
        body = {**self.defaults, **self._describe_form(given), **generated}
        key, shelf = self.key_of(body), self.shelf(asked)
        if key in shelf:
            raise self.taken(self.name, "/".join(key))
        self.check(asked, body)
        if self.arn:
            body[self.arn_member] = asked.arn(self.arn.format(**body))
        body |= {member: now() for member in self.times}
        body |= self.complete(asked, body)
        shelf[key] = body
        asked.shelves.tags[body[self.arn_member]] = read_tags(asked.parameters)
        return body

    def create_as_asked(self, asked: Asked) -> Body:
        """Keep a new one of just what the request says."""
        return self.create(asked, asked.parameters, {})

    def _describe_form(self, given: Mapping[str, Any]) -> Body:
        return {
            self.renamed.get(name, name): value
            for name, value in given.items()
            if name not in NOT_KEPT
        }

    def update(self, asked: Asked, given: Mapping[str, Any] | None = None) -> Body:
        """Lay the members that are given over those of one that exists."""
        body = self.find(asked)
        changed = self._describe_form(asked.parameters if given is None else given)
        self.check(asked, {**body, **changed})
        body |= {name: value for name, value in changed.items() if name not in self.key}
        for member in self.times[1:]:
            body[member] = now()
        return body

    def delete(self, asked: Asked) -> Body:
        """Remove one that exists and return what it was."""
        body = self.find(asked)
        del self.shelf(asked)[self.key_of(body)]
        asked.shelves.tags.pop(body[self.arn_member], None)
        return body

    def list(self, asked: Asked) -> list[Body]:
        """Return all of this kind where the request is asked, by key."""
        return [body for _, body in sorted(self.shelf(asked).items())]

    def tags(self, asked: Asked, body: Body) -> dict[str, str]:
        """Return the tags of one."""
        return asked.shelves.tags.get(body[self.arn_member], {})


def read_tags(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags that a request carries, be they a map or a list of pairs."""
    for name, value in parameters.items():
        if name.lower() in ("tags", "resourcetags"):
            return value if isinstance(value, dict) else {t["Key"]: t["Value"] for t in value}
    return {}


def to_pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Return tags as the list of pairs that some services answer."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]
