"""What the AWS types have in common: their service's client, and how tags differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from tidegate.localclouds.aws.clients import Client, Clients, find_region
from tidegate.localclouds.aws.naming import ACCOUNT_ID
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.stored import StoredType


class ApiType(StoredType):
    """A type that lives in moto: boto3 reads back what it declares."""

    backing = "api"
    service = ""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients

    def client(self, call: Call, inputs: Values, service: str = "") -> Client:
        """Return the client of the type's service (or another) in the resource's region."""
        return self._clients.get(service or self.service, call, inputs)

    def arn(self, call: Call, inputs: Values, service: str = "") -> str:
        """Return the beginning of an ARN: partition, service, region and account."""
        region = find_region(call.settings, inputs)
        return f"arn:aws:{service or self.service}:{region}:{ACCOUNT_ID}"

    @staticmethod
    @contextmanager
    def ignore_missing() -> Iterator[None]:
        """Let a deletion of what is gone already pass."""
        with suppress(NotFoundError):
            yield


@dataclass(frozen=True, slots=True)
class TagChange:
    """What has to be called to get from one set of tags to another."""

    added: dict[str, str]
    removed: list[str]


def compare_tags(old: Mapping[str, str], new: Mapping[str, str]) -> TagChange:
    """Return which tags to set and which keys to remove."""
    added = {key: value for key, value in new.items() if old.get(key) != value}
    return TagChange(added, sorted(set(old) - set(new)))


def tags_of(inputs: Values) -> dict[str, str]:
    """Return all tags that a resource is to carry, default tags included."""
    return dict(inputs.get("tagsAll") or inputs.get("tags") or {})
