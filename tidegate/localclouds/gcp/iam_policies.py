"""Who may do what: the IAM policies of projects, topics, service accounts and buckets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import invalid, missing
from tidegate.localclouds.gcp.references import (
    ACCOUNT,
    BUCKET,
    SUBSCRIPTION,
    TOPIC,
    find_account,
    find_role,
)
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

POLICY = "iam.googleapis.com/Policy"

# The sorts of members, and which need something after the colon (IAM, REST reference of Policy:
# general vendor documentation, not verified).
MEMBER = re.compile(
    r"(?:user|group|serviceAccount|domain|principal|principalSet|deleted|projectOwner"
    r"|projectEditor|projectViewer):\S+|allUsers|allAuthenticatedUsers"
)
BASIC_ROLES = frozenset({"roles/owner", "roles/editor", "roles/viewer"})
MAX_TITLE = 100
PROJECT_NAME = re.compile(r"projects/[^/]+")


class IamPolicies:
    """What the IAM faces and the `…IAMMember` types both call.

    A policy belongs to a full resource name; a bucket's is "buckets/b".
    """

    def __init__(self, world: World) -> None:
        self.shelf = Shelf(world.store, "gcp")

    def get(self, resource: str) -> Body:
        """Return a resource's policy; one that nobody has set is empty.

        Raises:
            NotFoundError: When there is no such resource.
        """
        self._require(resource)
        return self.shelf.get(POLICY, resource) or _finish({"bindings": []})

    def set(self, resource: str, policy: Mapping[str, Any]) -> Body:
        """Replace a resource's policy, as `setIamPolicy` does."""
        with self.shelf.transaction():
            old = self.get(resource)
            if policy.get("etag") and policy["etag"] != old["etag"]:
                raise invalid(
                    "There were concurrent policy changes. Please retry the whole "
                    "read-modify-write with exponential backoff."
                )
            bindings = [dict(binding) for binding in policy.get("bindings", [])]
            for binding in bindings:
                for reason in self.find_faults(binding):
                    raise invalid(reason)
            new = _finish({"bindings": [item for item in bindings if item.get("members")]})
            self.shelf.put(POLICY, resource, new)
        return new

    def add(self, resource: str, role: str, member: str, condition: Body | None) -> Body:
        """Grant a member a role, under a condition if there is one."""
        with self.shelf.transaction():
            policy = self.get(resource)
            binding = _find_binding(policy, role, condition)
            if binding is None:
                binding = {"role": role, "members": []}
                if condition:
                    binding["condition"] = condition
                policy["bindings"].append(binding)
            binding["members"] = sorted({*binding["members"], member})
            return self.set(resource, policy)

    def remove(self, resource: str, role: str, member: str, condition: Body | None) -> None:
        """Take a role from a member; one who has it not is no error."""
        with self.shelf.transaction():
            policy = self.get(resource)
            binding = _find_binding(policy, role, condition)
            if binding and member in binding["members"]:
                binding["members"].remove(member)
                self.set(resource, policy)

    def holds(self, resource: str, role: str, member: str, condition: Body | None) -> bool:
        """Tell whether a member has a role under exactly this condition."""
        binding = _find_binding(self.get(resource), role, condition)
        return binding is not None and member in binding["members"]

    def find_faults(self, binding: Mapping[str, Any]) -> Iterator[str]:
        """Say what IAM refuses in a binding."""
        role = str(binding.get("role", ""))
        reason = find_role(self.shelf, "", role)
        if reason:
            yield reason
        for member in binding.get("members", []):
            if not MEMBER.fullmatch(member):
                yield f"Invalid member '{member}': expected a sort and a name, as in user:a@b.c."
            elif member.startswith("serviceAccount:"):
                reason = find_account(self.shelf, "", member)
                if reason:
                    yield reason
        condition = binding.get("condition")
        if condition is not None:
            yield from check_condition(role, condition)

    def _require(self, resource: str) -> None:
        if PROJECT_NAME.fullmatch(resource):
            return
        if resource.startswith("buckets/"):
            kind, name = BUCKET, names.last_part(resource)
        else:
            word = resource.split("/")[-2]
            kind = {
                "serviceAccounts": ACCOUNT,
                "subscriptions": SUBSCRIPTION,
                "topics": TOPIC,
            }[word]
            name = resource
        if self.shelf.get(kind, name) is None:
            raise missing(f"Resource '{name}' was not found.")

    # The faces

    def routes(self) -> list[Route]:
        """Return what the APIs answer of policies."""
        project = "/v1/projects/{project}"
        places = {
            project: "POST",
            f"{project}/topics/{{topic}}": "GET",
            f"{project}/subscriptions/{{subscription}}": "GET",
            f"{project}/serviceAccounts/{{account}}": "POST",
        }
        found = [Route("GET", project, self._answer_project)]
        for path, reading in places.items():
            found += [
                Route(reading, f"{path}:getIamPolicy", self._answer_get),
                Route("POST", f"{path}:setIamPolicy", self._answer_set),
                Route("POST", f"{path}:testIamPermissions", self._answer_test),
            ]
        bucket = "/storage/v1/b/{bucket}/iam"
        return [
            *found,
            Route("GET", bucket, self._answer_bucket),
            Route("PUT", bucket, self._answer_set_bucket),
        ]

    def _answer_project(self, asked: Asked, project: str) -> Answer:
        """Answer a project, which always exists: its number stands in other APIs' names."""
        del asked
        return Answer(
            {
                "projectId": project,
                "projectNumber": names.project_number(project),
                "name": project,
                "lifecycleState": "ACTIVE",
            }
        )

    def _answer_get(self, asked: Asked, **_: str) -> Answer:
        return Answer(self.get(_resource(asked)))

    def _answer_set(self, asked: Asked, **_: str) -> Answer:
        return Answer(self.set(_resource(asked), asked.body.get("policy", {})))

    def _answer_test(self, asked: Asked, **_: str) -> Answer:
        """Answer that all is allowed: who calls the local cloud owns it."""
        self.get(_resource(asked))
        return Answer({"permissions": asked.body.get("permissions", [])})

    def _answer_bucket(self, asked: Asked, bucket: str) -> Answer:
        del asked
        return Answer({"kind": "storage#policy", **self.get(f"buckets/{bucket}")})

    def _answer_set_bucket(self, asked: Asked, bucket: str) -> Answer:
        return Answer({"kind": "storage#policy", **self.set(f"buckets/{bucket}", asked.body)})


def check_condition(role: str, condition: Mapping[str, Any]) -> Iterator[str]:
    """Say what IAM refuses in a condition (IAM, "Conditional role bindings", not verified)."""
    for word in ("title", "expression"):
        if not condition.get(word):
            yield f"Condition {word} must not be empty."
    title = condition.get("title")
    if isinstance(title, str) and len(title) > MAX_TITLE:
        yield f"Condition title is {len(title)} characters long: at most {MAX_TITLE}."
    if role in BASIC_ROLES:
        yield f"Conditions are not supported on the basic role '{role}'."


def _resource(asked: Asked) -> str:
    return asked.path.removeprefix("/v1/").rpartition(":")[0]


def _find_binding(policy: Body, role: str, condition: Body | None) -> Body | None:
    for binding in policy["bindings"]:
        if binding["role"] == role and (binding.get("condition") or None) == (condition or None):
            found: Body = binding
            return found
    return None


def _finish(policy: Body) -> Body:
    has_conditions = any(binding.get("condition") for binding in policy["bindings"])
    policy["version"] = 3 if has_conditions else 1
    policy["etag"] = names.fingerprint_of({"bindings": policy["bindings"]})
    return policy
