"""Service accounts on this machine, `iam.googleapis.com` v1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import exists, invalid, missing
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

ACCOUNT = "iam.googleapis.com/ServiceAccount"
# hashicorp/terraform-provider-google, resource_google_service_account.go, read on 2026-11-30.
ACCOUNT_ID = re.compile(r"[a-z][-a-z0-9]{4,28}[a-z0-9]")
ACCOUNT_ID_RULE = "6 to 30 lowercase letters, digits and dashes, starting with a letter"


class Accounts:
    """What the IAM face and `gcp:serviceaccount` types both call."""

    def __init__(self, world: World) -> None:
        self.shelf = Shelf(world.store, "gcp")

    def create(self, project: str, account_id: str, body: Mapping[str, Any]) -> Body:
        """Create a service account."""
        if not ACCOUNT_ID.fullmatch(account_id):
            raise invalid(f"Invalid account id '{account_id}': {ACCOUNT_ID_RULE}.")
        email = f"{account_id}@{project}.iam.gserviceaccount.com"
        name = f"projects/{project}/serviceAccounts/{email}"
        if self.shelf.get(ACCOUNT, name):
            raise exists(f"Service account {account_id} already exists within project {project}.")
        account = {
            **body,
            "name": name,
            "projectId": project,
            "email": email,
            "uniqueId": names.number_of(name),
            "oauth2ClientId": names.number_of(name),
        }
        self.shelf.put(ACCOUNT, name, account)
        return account

    def get(self, name: str) -> Body:
        """Return a service account.

        Raises:
            NotFoundError: When there is none.
        """
        account = self.shelf.get(ACCOUNT, name)
        if account is None:
            raise missing(f"Unknown service account: {names.last_part(name)}")
        return account

    def put(self, name: str, body: Mapping[str, Any]) -> Body:
        """Keep a changed service account."""
        self.get(name)
        self.shelf.put(ACCOUNT, name, body)
        return dict(body)

    def delete(self, name: str) -> None:
        """Delete a service account."""
        self.get(name)
        self.shelf.delete(ACCOUNT, name)

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        parent = "/v1/projects/{project}/serviceAccounts"
        return [
            Route("GET", parent, self._answer_list),
            Route("GET", f"{parent}/{{account}}", self._answer_get),
        ]

    def _answer_list(self, asked: Asked, project: str) -> Answer:
        del asked
        found = self.shelf.find(ACCOUNT, f"projects/{project}/serviceAccounts/")
        return Answer({"accounts": found})

    def _answer_get(self, asked: Asked, **_: str) -> Answer:
        return Answer(self.get(asked.path.removeprefix("/v1/")))
