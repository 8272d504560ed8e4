"""What the local clouds know of a creation that was interrupted."""

from __future__ import annotations

import httpx

from tidegate.engine.pending import CannotTell, FindExisting, PendingCreate
from tidegate.engine.stack import StackRunner
from tidegate.localclouds.endpoints import Endpoints

ANSWER_SECONDS = 10.0


def find_local(endpoints: Endpoints, runner: StackRunner, stack: str) -> FindExisting:
    """Return the look-up for recovery: the store remembers which URN made what.

    A replacement has its predecessor's URN; what the state already records is the predecessor.
    """

    def find(pending: PendingCreate) -> str | None:
        recorded = {
            (resource["urn"], resource.get("id"))
            for resource in runner.export(stack)["deployment"].get("resources") or []
        }
        made = _ask(f"{endpoints.control_url}/resources", pending.urn)
        new = [found for found in made if (pending.urn, found) not in recorded]
        if len(new) > 1:
            raise CannotTell(f"the local clouds hold several of it: {', '.join(new)}")
        return new[0] if new else None

    return find


def _ask(url: str, urn: str) -> list[str]:
    try:
        answer = httpx.get(url, params={"urn": urn}, timeout=ANSWER_SECONDS, trust_env=False)
        return [str(found["id"]) for found in answer.raise_for_status().json()]
    except (httpx.HTTPError, ValueError) as error:
        raise CannotTell(f"the local clouds do not answer: {error}") from error
