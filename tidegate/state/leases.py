"""Who leads: one row, one token that only grows.

No clock of two machines is compared. A candidate takes over when the holder's count of renewals
has not changed for a while by the candidate's own monotonic clock, as Kubernetes' leases do; a
holder that was paused finds another token and stops.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tidegate.state.tables import LEASES
from tidegate.vocabulary.records import LeaseLost
from tidegate.vocabulary.silence import PATIENCE_SECONDS, Watch

LEAD = "lead"


class LeaseRow:
    """The lead, as one process sees it."""

    def __init__(self, engine: sa.Engine, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._engine = engine
        self._watch = Watch(patience_seconds)

    def take(self, holder: str, monotonic: float) -> int | None:
        """Take, keep or renew the lead; return its token, None while another holds it."""
        with self._engine.begin() as connection:
            row = _hold_row(connection)
            if row is None:
                return self._insert(connection, holder)
            if row.holder == holder:
                self._write(connection, holder, row.token, row.renewals + 1)
                return int(row.token)
            shown = (row.token, row.renewals)
            if row.holder and not self._watch.is_silent(shown, monotonic):
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
            row = _hold_row(connection)
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
    row = _hold_row(connection)
    if row is None or row.token != token or not row.holder:
        raise LeaseLost(f"token {token} leads no more")


def _hold_row(connection: sa.Connection) -> sa.Row[Any] | None:
    """Return the lead's row, which nobody else writes until the transaction ends."""
    return connection.execute(
        sa.select(LEASES).where(LEASES.c.name == LEAD).with_for_update()
    ).first()
