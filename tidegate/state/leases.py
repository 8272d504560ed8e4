"""Who leads: one row, one token that only grows.

No clock of two machines is compared. A candidate takes over when the holder's count of renewals
has not changed for a while by the candidate's own monotonic clock, as Kubernetes' leases do; a
holder that was paused finds another token and stops.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from tidegate.state.tables import LEASES
from tidegate.vocabulary.records import LeaseLost

LEAD = "lead"
PATIENCE_SECONDS = 10.0
"""Without a sign of life for this long, another takes over."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The last sign of life of a holder: which it was, and when it was first seen."""

    token: int
    renewals: int
    seen_at: float


class LeaseRow:
    """The lead, as one process sees it."""

    def __init__(self, engine: sa.Engine, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._engine = engine
        self._patience = patience_seconds
        self._sighting: Sighting | None = None

    def take(self, holder: str, monotonic: float) -> int | None:
        """Take, keep or renew the lead; return its token, None while another holds it."""
        with self._engine.begin() as connection:
            row = connection.execute(
                sa.select(LEASES).where(LEASES.c.name == LEAD).with_for_update()
            ).first()
            if row is None:
                return self._insert(connection, holder)
            if row.holder == holder:
                self._write(connection, holder, row.token, row.renewals + 1)
                return int(row.token)
            if row.holder and not self._is_silent(row, monotonic):
                return None
            self._write(connection, holder, row.token + 1, 0)
            return int(row.token) + 1

    def renew(self, token: int) -> None:
        """Show a sign of life.

        Raises:
            LeaseLost: Another holds the lead, or it was given back.
        """
        with self._engine.begin() as connection:
            require_lease(connection, token)
            connection.execute(
                LEASES.update().where(LEASES.c.name == LEAD).values(renewals=LEASES.c.renewals + 1)
            )

    def release(self, token: int) -> None:
        """Give the lead back; nothing happens when it is lost already."""
        with self._engine.begin() as connection:
            connection.execute(
                LEASES.update()
                .where(LEASES.c.name == LEAD, LEASES.c.token == token)
                .values(holder="")
            )

    def adopt(self, holder: str, token: int) -> None:
        """Take over a lead that was won elsewhere: from now on writes need its token.

        Raises:
            LeaseLost: A higher token leads here already.
        """
        with self._engine.begin() as connection:
            row = connection.execute(
                sa.select(LEASES).where(LEASES.c.name == LEAD).with_for_update()
            ).first()
            if row is None:
                values = {"name": LEAD, "holder": holder, "token": token, "renewals": 0}
                connection.execute(LEASES.insert().values(**values))
            elif row.token > token:
                text = f"{row.holder or 'another'} leads this database with token {row.token}"
                raise LeaseLost(f"{text}, above {token}: give all controllers the same --leader")
            else:
                self._write(connection, holder, token, row.renewals + 1)

    def read_token(self) -> int:
        """Return the highest token that was given; 0 where none was."""
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(LEASES.c.token)).scalar()
        return int(found or 0)

    def read_holder(self) -> str:
        """Return who holds the lead; empty when nobody does."""
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(LEASES.c.holder)).scalar()
        return found or ""

    def _is_silent(self, row: sa.Row[tuple[object, ...]], monotonic: float) -> bool:
        seen = self._sighting
        if seen is None or (seen.token, seen.renewals) != (row.token, row.renewals):
            self._sighting = Sighting(row.token, row.renewals, monotonic)
            return False
        return monotonic - seen.seen_at >= self._patience

    def _insert(self, connection: sa.Connection, holder: str) -> int | None:
        try:
            connection.execute(
                LEASES.insert().values(name=LEAD, holder=holder, token=1, renewals=0)
            )
        except sa.exc.IntegrityError:
            return None  # another was quicker
        return 1

    def _write(self, connection: sa.Connection, holder: str, token: int, renewals: int) -> None:
        connection.execute(
            LEASES.update()
            .where(LEASES.c.name == LEAD)
            .values(holder=holder, token=token, renewals=renewals)
        )


def require_lease(connection: sa.Connection, token: int) -> None:
    """Hold the lead for the rest of a transaction.

    Raises:
        LeaseLost: The token is not the current one, or nobody holds it.
    """
    row = connection.execute(
        sa.select(LEASES.c.token, LEASES.c.holder).where(LEASES.c.name == LEAD).with_for_update()
    ).first()
    if row is None or row.token != token or not row.holder:
        raise LeaseLost(f"token {token} leads no more")
