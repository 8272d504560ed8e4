"""A database whose leader is elected elsewhere: by a Lease of Kubernetes.

The lease says who leads. Its token is carried into the database, so that every write stays fenced
by it within its own transaction; before a cloud is asked for anything, the lease is asked as well,
for each controller may have a database of its own.
"""

from __future__ import annotations

from typing import Protocol

import sqlalchemy as sa

from tidegate.state.fenced import answering
from tidegate.state.store import DatabaseStore


class Lead(Protocol):
    """Who leads, told by something else than the database. Its calls block.

    Each raises Unavailable where there is no answer.
    """

    def take(self, holder: str, monotonic: float, floor: int) -> int | None:
        """Take, keep or renew the lead; return its token (a new one is above `floor`), or None."""
        ...

    def renew(self, token: int) -> None:
        """Show a sign of life; raise LeaseLost when the token is not the current one."""
        ...

    def release(self, token: int) -> None:
        """Give the lead back; nothing happens when it is lost already."""
        ...

    def check(self, token: int) -> None:
        """Raise LeaseLost when the token is not the current one."""
        ...


class ElectedStore(DatabaseStore):
    """The same memory, led by whom `lead` says."""

    def __init__(self, engine: sa.Engine, lead: Lead) -> None:
        super().__init__(engine)
        self._lead = lead

    def take_lease(self, holder: str, monotonic: float) -> int | None:
        """Take, keep or renew the lead; return its token, None while another holds it."""
        with answering():
            floor = self._lease.read_token()
        token = self._lead.take(holder, monotonic, floor)
        if token is not None:
            with answering():
                self._lease.adopt(holder, token)
        return token

    def renew_lease(self, token: int) -> None:
        """Show a sign of life; a lead that is lost or given back is not taken again."""
        self._lead.renew(token)
        super().renew_lease(token)

    def release_lease(self, token: int) -> None:
        """Give the lead back; nothing happens when it is lost already."""
        super().release_lease(token)
        self._lead.release(token)

    def check_lease(self, token: int) -> None:
        """Raise LeaseLost when the token is not the current one."""
        self._lead.check(token)
        super().check_lease(token)
