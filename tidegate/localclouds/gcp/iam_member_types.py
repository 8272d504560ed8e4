"""`…IAMMember` types for the engine: one member of one role on one resource."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Created, Values, is_known
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.iam_policies import MEMBER, IamPolicies, check_condition
from tidegate.localclouds.gcp.references import CUSTOM_ROLE, PREDEFINED_ROLE
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record
from tidegate.localclouds.stored import StoredType


@dataclass(frozen=True, slots=True)
class Site:
    """What a type's members belong to.

    Attributes:
        input: The input that names the resource.
        path: Its full name, as `IamPolicies` has it, with `{project}` and `{name}`.
        id: What ids begin with, with the same words.
    """

    input: str
    path: str
    id: str


SITES = {
    "gcp:projects/iAMMember:IAMMember": Site("project", "projects/{name}", "{name}"),
    "gcp:pubsub/subscriptionIAMMember:SubscriptionIAMMember": Site(
        "subscription",
        "projects/{project}/subscriptions/{name}",
        "projects/{project}/subscriptions/{name}",
    ),
    "gcp:pubsub/topicIAMMember:TopicIAMMember": Site(
        "topic", "projects/{project}/topics/{name}", "projects/{project}/topics/{name}"
    ),
    "gcp:serviceaccount/iAMMember:IAMMember": Site(
        "serviceAccountId",
        "projects/{project}/serviceAccounts/{name}",
        "projects/{project}/serviceAccounts/{name}",
    ),
    "gcp:storage/bucketIAMMember:BucketIAMMember": Site("bucket", "buckets/{name}", "b/{name}"),
}


class IamMemberType(StoredType):
    """A member of a role; other members of the same role are left alone."""

    backing = "api"

    def __init__(self, policies: IamPolicies, site: Site) -> None:
        self._policies = policies
        self._site = site

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Say what IAM refuses that needs no look at what exists."""
        member, role = inputs.get("member"), inputs.get("role")
        if isinstance(member, str) and not MEMBER.fullmatch(member):
            yield CheckFailure(
                "member", f"Invalid member '{member}': expected a sort and a name: user:a@b.c."
            )
        if isinstance(role, str) and not (
            PREDEFINED_ROLE.fullmatch(role) or CUSTOM_ROLE.fullmatch(role)
        ):
            yield CheckFailure(
                "role", f"Invalid role '{role}': expected roles/… or projects/…/roles/…."
            )
        condition = inputs.get("condition")
        if isinstance(condition, dict) and is_known(condition) and role is not UNKNOWN:
            for reason in check_condition(str(role), condition):
                yield CheckFailure("condition", reason)

    def create(self, inputs: Values, call: Call) -> Created:
        """Grant the role, to a member and on a resource that exist."""
        resource = self._fill(self._site.path, inputs, call)
        policy = self._policies.add(resource, *_grant(inputs))
        parts = [self._fill(self._site.id, inputs, call), inputs["role"], inputs["member"]]
        condition = _condition(inputs)
        if condition:
            parts.append(condition["title"])
        return Created("/".join(parts), {"etag": policy["etag"]})

    def read(self, record: Record, call: Call) -> Values | None:
        """Return what is live: gone with its resource, or when somebody took the role away."""
        resource = self._fill(self._site.path, record.inputs, call)
        try:
            if not self._policies.holds(resource, *_grant(record.inputs)):
                return None
            return {**record.outputs, "etag": self._policies.get(resource)["etag"]}
        except NotFoundError:
            return None

    def delete(self, record: Record, call: Call) -> None:
        """Take the role away; with its resource it is gone already."""
        try:
            self._policies.remove(
                self._fill(self._site.path, record.inputs, call), *_grant(record.inputs)
            )
        except NotFoundError:
            return

    def _fill(self, template: str, inputs: Values, call: Call) -> str:
        given = names.relative_name(str(inputs[self._site.input]))
        own = inputs.get("project")
        project = given.split("/")[1] if given.startswith("projects/") else None
        if project is None and "@" in given:
            project = given.partition("@")[2].split(".")[0]
        return template.format(
            project=project or names.project_of({"project": own}, call.settings),
            name=names.last_part(given),
        )


def _condition(inputs: Values) -> Body | None:
    given: Any = inputs.get("condition")
    return {key: value for key, value in given.items() if value} if given else None


def _grant(inputs: Values) -> tuple[str, str, Body | None]:
    return inputs["role"], inputs["member"], _condition(inputs)


def build_member_types(policies: IamPolicies) -> dict[str, IamMemberType]:
    """Return the behaviour of every member type, by token."""
    return {token: IamMemberType(policies, site) for token, site in SITES.items()}
