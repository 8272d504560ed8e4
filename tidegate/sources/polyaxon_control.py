"""Runs of Polyaxon, stopped before their node goes, and resumed once they ended.

A run that is stopped through its server is told to its operator, which ends its pods with their
grace; evicted pods alone would leave it failed. What it resumes from is what it saved itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import httpx

from tidegate.sources.access import sign
from tidegate.sources.config import PolyaxonSource
from tidegate.vocabulary.reports import SourceFault


class PolyaxonControl:
    """Stops and resumes runs on one or several servers, each "owner/project/uuid"."""

    def __init__(self, servers: Sequence[PolyaxonSource], http: httpx.Client) -> None:
        """Prepare; nothing is asked yet.

        Args:
            servers: The entries of the sources' file: each says whose runs are where.
            http: The client; its calls end within the servers' time.
        """
        self._servers = servers
        self._http = http

    def controls(self, run: str) -> bool:
        """Return whether a server is known that has this run."""
        return self._find(run) is not None

    def stop(self, run: str) -> None:
        """Stop a run; one that is stopped already stays so.

        Raises:
            SourceFault: Its server does not answer, or refuses.
        """
        self._ask("POST", run, "/stop")

    def resume(self, run: str) -> None:
        """Have a run that ended go on.

        Raises:
            SourceFault: Its server does not answer, or refuses.
        """
        self._ask("POST", run, "/resume", body={})

    def fetch_status(self, run: str) -> str:
        """Return a run's status, in Polyaxon's word.

        Raises:
            SourceFault: Its server does not answer, or not as Polyaxon does.
        """
        answer = self._ask("GET", run, "")
        try:
            return str(answer.json()["status"])
        except (ValueError, KeyError, TypeError) as error:
            raise SourceFault(f"run {run} is told without a status") from error

    def _ask(
        self, method: str, run: str, verb: str, body: dict[str, str] | None = None
    ) -> httpx.Response:
        server = self._find(run)
        if server is None:
            raise SourceFault(f"no server of the sources' file has the run {run}")
        owner, project, uuid = run.split("/")
        path = f"{quote(owner)}/{quote(project)}/runs/{quote(uuid)}{verb}"
        url = f"{server.url.rstrip('/')}/api/v1/{path}"
        try:
            answer = self._http.request(
                method,
                url,
                json=body,
                headers=sign("Token", server.token_environment),
                timeout=server.timeout_seconds,
            )
        except httpx.HTTPError as error:
            text = f"{server.url} does not answer: {type(error).__name__}: {error}"
            raise SourceFault(text) from error
        if not answer.is_success:
            raise SourceFault(f"{url} answers {answer.status_code}: {answer.text[:200]}")
        return answer

    def _find(self, run: str) -> PolyaxonSource | None:
        owner, _, rest = run.partition("/")
        project = rest.partition("/")[0]
        fitting = (s for s in self._servers if s.owner == owner and project in s.projects)
        return next(fitting, None)
