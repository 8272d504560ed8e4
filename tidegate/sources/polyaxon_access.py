"""How a Polyaxon server is told who asks."""

from __future__ import annotations

import os

from tidegate.sources.config import PolyaxonSource
from tidegate.vocabulary.reports import SourceFault


def sign(server: PolyaxonSource) -> dict[str, str]:
    """Return the headers of a request, with the token that its variable holds, if one is named.

    Raises:
        SourceFault: The variable is named and empty.
    """
    variable = server.token_environment
    token = os.environ.get(variable, "") if variable else ""
    if variable and not token:
        raise SourceFault(f"the environment variable {variable} holds no token")
    return {"Authorization": f"Token {token}"} if token else {}
