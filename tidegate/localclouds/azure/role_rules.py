"""What Azure refuses in custom roles, said of the REST body.

Source: general vendor documentation, not verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure

Body = Mapping[str, Any]

ACTION = re.compile(
    r"\*|[A-Za-z*][\w.*-]*(?:/[\w.*-]+)*/(?:\*|read|write|delete|[\w*-]+/action)", re.IGNORECASE
)
SCOPE = re.compile(
    r"/(?:subscriptions/[^/]+(?:/resourceGroups/[^/]+)?|providers/[^/]+/[^/]+/[^/]+)",
    re.IGNORECASE,
)
LISTS = ("actions", "notActions", "dataActions", "notDataActions")


def check_role_definition(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a custom role."""
    del name
    scopes = look(body, "properties.assignableScopes")
    for index, scope in enumerate(scopes if isinstance(scopes, list) else []):
        place = f"properties.assignableScopes[{index}]"
        if isinstance(scope, str) and not SCOPE.fullmatch(scope.rstrip("/")):
            yield CheckFailure(
                place,
                f"'{scope}' is no scope of a custom role: a management group, a subscription or a "
                "resource group; the root scope is for built-in roles alone.",
            )
    permissions = look(body, "properties.permissions")
    for index, permission in enumerate(permissions if isinstance(permissions, list) else []):
        yield from _check_actions(f"properties.permissions[{index}]", permission, scopes)


def _check_actions(place: str, permission: Any, scopes: Any) -> Iterator[CheckFailure]:
    for word in LISTS:
        actions = look(permission, word)
        for index, action in enumerate(actions if isinstance(actions, list) else []):
            if isinstance(action, str) and not ACTION.fullmatch(action):
                yield CheckFailure(
                    f"{place}.{word}[{index}]",
                    f"'{action}' does not match any of the actions supported by the providers: "
                    "Company.Provider/type/read, write, delete or name/action.",
                )
    known = scopes if isinstance(scopes, list) else []
    wide = [scope for scope in known if "managementgroups" in str(scope).lower()]
    if look(permission, "dataActions") and wide:
        yield CheckFailure(
            f"{place}.dataActions",
            f"Data actions cannot be assigned at management group {wide[0]}.",
        )
