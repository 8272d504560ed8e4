"""Custom roles and service accounts of IAM, for the engine and for `iam.googleapis.com` v1.

Sources: hashicorp/terraform-provider-google, resource_google_service_account.go (read on
2026-11-30), and the property descriptions of pulumi-gcp 10.2.0; which permissions no project's
role can have, and that a deleted role is kept: general vendor documentation, not verified.
"""

# ruff: noqa: ARG001, ARG002 - behaviours and what completes a body have one signature for all

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults
from tidegate.localclouds.contracts import Call, CheckFailure, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.collection_types import CollectionType
from tidegate.localclouds.gcp.errors import invalid, missing, unmet
from tidegate.localclouds.gcp.kind import Kind, Rest
from tidegate.localclouds.gcp.kind_rules import items_rule, length_rule
from tidegate.localclouds.gcp.references import ACCOUNT, ROLE
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.rest_shape import Field, Shape
from tidegate.localclouds.routes import Answer, Asked, Route

ACCOUNT_ID = re.compile(r"[a-z][-a-z0-9]{4,28}[a-z0-9]")
ACCOUNT_ID_RULE = "6 to 30 lowercase letters, digits and dashes, starting with a letter"
ROLE_ID = re.compile(r"[a-zA-Z0-9_.]{3,64}")
PERMISSION = re.compile(r"[a-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*){2,}")
MAX_PERMISSIONS = 3000
# Permissions on what stands above a project.
ABOVE_PROJECTS = ("resourcemanager.folders.", "resourcemanager.organizations.",
                  "resourcemanager.projects.list")  # fmt: skip


def _check_role_id(body: Body) -> Iterator[CheckFailure]:
    name = body.get("name")
    if isinstance(name, str) and not ROLE_ID.fullmatch(names.last_part(name)):
        yield CheckFailure(
            "name",
            f"Invalid role id '{names.last_part(name)}': 3 to 64 letters, digits, underscores "
            "and periods.",
        )


def _check_permissions(body: Body) -> Iterator[CheckFailure]:
    permissions = body.get("includedPermissions")
    for index, permission in enumerate(permissions if isinstance(permissions, list) else []):
        if not isinstance(permission, str):
            continue
        if not PERMISSION.fullmatch(permission) or permission.startswith(ABOVE_PROJECTS):
            yield CheckFailure(
                f"includedPermissions[{index}]",
                f"Permission {permission} is not valid for a role of a project.",
            )


def _fill_role(name: str, body: Body) -> None:
    fill_defaults(body, {"stage": "GA"})
    body["etag"] = names.fingerprint_of({k: v for k, v in body.items() if k != "etag"})


ROLE_KIND = Kind(
    pulumi="gcp:projects/iAMCustomRole:IAMCustomRole",
    name=ROLE,
    path="projects/{project}/roles/{roleId}",
    shape=Shape(
        fields={"permissions": Field("includedPermissions")}, rest_only=frozenset({"etag"})
    ),
    rest=Rest("v1", "roles", id_at="roleId", wrapper="role", verbs=("GET", "PATCH")),
    rules=(
        _check_role_id,
        _check_permissions,
        items_rule("includedPermissions", MAX_PERMISSIONS, least=1),
        length_rule("title", 100),
        length_rule("description", 300),
    ),
    fill=_fill_role,
    shown_name="full",
    outputs=lambda _, body: {"deleted": bool(body.get("deleted"))},
)


class CustomRoles:
    """Deletes custom roles as IAM does: they stay for a while, cannot be granted, can come back."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    def delete(self, name: str) -> Body:
        """Mark a role as deleted."""
        role = self._collections.get(ROLE_KIND, name)
        if role.get("deleted"):
            raise unmet(f"Role {name} is already deleted.")
        return self._collections.save(ROLE_KIND, name, {**role, "deleted": True})

    def undelete(self, name: str) -> Body:
        """Take a deletion back."""
        role = self._collections.get(ROLE_KIND, name)
        if not role.pop("deleted", False):
            raise unmet(f"Role {name} is not deleted.")
        return self._collections.save(ROLE_KIND, name, role)

    def routes(self) -> list[Route]:
        """Return what the API answers beyond the generic calls."""
        roles = "/v1/projects/{project}/roles"
        return [
            Route("GET", roles, self._answer_list),
            Route("DELETE", f"{roles}/{{role}}", self._answer_delete),
            Route("POST", f"{roles}/{{role}}:undelete", self._answer_undelete),
        ]

    def _answer_list(self, asked: Asked, project: str) -> Answer:
        found = self._collections.find(ROLE_KIND, f"projects/{project}")
        if asked.query.get("showDeleted") != "true":
            found = [role for role in found if not role.get("deleted")]
        return Answer({"roles": found})

    def _answer_delete(self, asked: Asked, **_: str) -> Answer:
        return Answer(self.delete(asked.path.removeprefix("/v1/")))

    def _answer_undelete(self, asked: Asked, **_: str) -> Answer:
        return Answer(self.undelete(asked.path.removeprefix("/v1/").removesuffix(":undelete")))


class CustomRoleType(CollectionType):
    """`gcp:projects/iAMCustomRole:IAMCustomRole`."""

    def __init__(self, collections: Collections, roles: CustomRoles) -> None:
        super().__init__(collections, ROLE_KIND)
        self._roles = roles

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it, or bring the deleted one of the same id back, as the provider does."""
        with suppress(NotFoundError):
            if self._collections.get(ROLE_KIND, name).get("deleted"):
                self._roles.undelete(name)
                return self._collections.save(ROLE_KIND, name, body)
        return super().insert(name, body, inputs, call)

    def load(self, name: str) -> Body:
        """Return it; a deleted one is gone for the engine."""
        role = super().load(name)
        if role.get("deleted"):
            raise missing(f"Role {name} is deleted.")
        return role

    def remove(self, name: str, inputs: Values) -> None:
        """Mark it as deleted."""
        self.load(name)
        self._roles.delete(name)


# Service accounts


def _check_account_id(body: Body) -> Iterator[CheckFailure]:
    name = body.get("name")
    account_id = names.last_part(name).split("@")[0] if isinstance(name, str) else ""
    if account_id and not ACCOUNT_ID.fullmatch(account_id):
        yield CheckFailure("name", f"Invalid account id '{account_id}': {ACCOUNT_ID_RULE}.")


def _fill_account(name: str, body: Body) -> None:
    number = names.number_of(name)
    body |= {
        "projectId": name.split("/")[1],
        "email": names.last_part(name),
        "uniqueId": number,
        "oauth2ClientId": number,
    }
    body["etag"] = names.fingerprint_of({k: v for k, v in body.items() if k != "etag"})


def _show_account(name: str, body: Body) -> Values:
    return {
        "accountId": body["email"].split("@")[0],
        "project": body["projectId"],
        "member": f"serviceAccount:{body['email']}",
    }


ACCOUNT_KIND = Kind(
    pulumi="gcp:serviceaccount/account:Account",
    name=ACCOUNT,
    path="projects/{project}/serviceAccounts/{accountId}",
    shape=Shape(
        provider_only=frozenset({"createIgnoreAlreadyExists"}),
        rest_only=frozenset({"etag", "oauth2ClientId", "projectId"}),
    ),
    rest=Rest("v1", "accounts", verbs=("GET", "DELETE")),
    rules=(_check_account_id,),
    fill=_fill_account,
    shown_name="full",
    outputs=_show_account,
)


def name_account(project: str, account_id: str) -> str:
    """Return a service account's full name."""
    return f"projects/{project}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com"


class ServiceAccountType(CollectionType):
    """`gcp:serviceaccount/account:Account`."""

    def __init__(self, collections: Collections) -> None:
        super().__init__(collections, ACCOUNT_KIND)

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/serviceAccounts/e"."""
        return name_account(names.project_of(inputs, call.settings), inputs["accountId"])

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it, or take over the one that exists where that was asked for."""
        if inputs.get("createIgnoreAlreadyExists") is True:
            with suppress(CloudError):
                return self.save(name, {**self.load(name), **body})
        return super().insert(name, body, inputs, call)


class AccountCalls:
    """The calls on service accounts whose bodies are unlike those of other kinds."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    def routes(self) -> list[Route]:
        """Return what the API answers beyond the generic calls."""
        accounts = "/v1/projects/{project}/serviceAccounts"
        return [
            Route("POST", accounts, self._answer_create),
            Route("PATCH", f"{accounts}/{{account}}", self._answer_patch),
        ]

    def _answer_create(self, asked: Asked, project: str) -> Answer:
        account_id = str(asked.body.get("accountId", ""))
        if not ACCOUNT_ID.fullmatch(account_id):
            raise invalid(f"Invalid account id '{account_id}': {ACCOUNT_ID_RULE}.")
        given: Mapping[str, Any] = asked.body.get("serviceAccount", {})
        name = name_account(project, account_id)
        return Answer(self._collections.create(ACCOUNT_KIND, name, given))

    def _answer_patch(self, asked: Asked, **_: str) -> Answer:
        name = asked.path.removeprefix("/v1/")
        given = asked.body.get("serviceAccount", {})
        changed = {key: given.get(key) for key in asked.body.get("updateMask", "").split(",")}
        account = self._collections.get(ACCOUNT_KIND, name)
        return Answer(self._collections.save(ACCOUNT_KIND, name, {**account, **changed}))
