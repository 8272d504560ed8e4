"""What Azure refuses in managed identities and role assignments, said of the REST body.

Sources: Microsoft Learn, "Manage user-assigned managed identities", "Assign Azure roles using the
REST API", Microsoft.Authorization and Microsoft.ManagedIdentity REST references, read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

# "Currently the only accepted value is '2.0'", in the property's description.
CONDITION_VERSION = "2.0"
IDENTITY_NAME = re.compile(r"[A-Za-z0-9][-_A-Za-z0-9]{2,127}")
GUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
ROLE = re.compile(
    rf"(?:/subscriptions/[^/]+)?/providers/Microsoft\.Authorization/roleDefinitions/{GUID.pattern}",
    re.IGNORECASE,
)


def check_identity(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a user-assigned identity."""
    del body
    if isinstance(name, str) and not IDENTITY_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"The identity name '{name}' is not valid: 3 to 128 letters, digits, dashes and "
            "underscores, starting with a letter or digit.",
        )


def check_role_assignment(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a role assignment."""
    if isinstance(name, str) and not GUID.fullmatch(name):
        yield CheckFailure("name", f"The role assignment ID '{name}' is not valid: it is a GUID.")
    role = look(body, "properties.roleDefinitionId")
    if isinstance(role, str) and not ROLE.fullmatch(role):
        yield CheckFailure(
            "properties.roleDefinitionId",
            f"The role definition ID '{role}' is not valid: "
            "/subscriptions/…/providers/Microsoft.Authorization/roleDefinitions/<GUID>.",
        )
    principal = look(body, "properties.principalId")
    if isinstance(principal, str) and not GUID.fullmatch(principal):
        yield CheckFailure(
            "properties.principalId", f"The principal ID '{principal}' is not valid: it is a GUID."
        )
    yield from _check_condition(body)


def _check_condition(body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a condition; its attributes are not evaluated here."""
    condition = look(body, "properties.condition")
    version = look(body, "properties.conditionVersion")
    if condition is None and version is not None:
        yield CheckFailure(
            "properties.conditionVersion", "conditionVersion is given without a condition."
        )
    if condition is None or condition is UNKNOWN:
        return
    if version not in (CONDITION_VERSION, UNKNOWN):
        yield CheckFailure(
            "properties.conditionVersion",
            f"A condition needs conditionVersion '{CONDITION_VERSION}', got {version!r}.",
        )
    bare = re.sub(r"'[^']*'", "''", condition)
    if not _is_balanced(bare) or not re.search(r"ActionMatches|@(?:Resource|Request)", bare):
        yield CheckFailure("properties.condition", f"The condition '{condition}' is not valid.")


def _is_balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0
