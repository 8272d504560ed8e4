"""How a server is told who asks."""

from __future__ import annotations

import os

from tidegate.vocabulary.reports import SourceFault


def sign(scheme: str, variable: str) -> dict[str, str]:
    """Return the headers of a request, with the token that a variable holds, if one is named.

    Args:
        scheme: What the server calls such tokens ("Bearer").
        variable: The environment variable; empty for none.

    Raises:
        SourceFault: The variable is named and empty.
    """
    token = os.environ.get(variable, "") if variable else ""
    if variable and not token:
        raise SourceFault(f"the environment variable {variable} holds no token")
    return {"Authorization": f"{scheme} {token}"} if token else {}
