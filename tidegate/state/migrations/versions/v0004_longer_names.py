"""Decisions and persons' words are of notebooks and endpoints too, whose names are longer."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = ("decisions", "overrides")


def upgrade() -> None:
    """Make room for "endpoint/" before an id of 63 characters."""
    _set_length(128)


def downgrade() -> None:
    """Make it as short as it was."""
    _set_length(64)


def _set_length(length: int) -> None:
    for table in TABLES:
        with op.batch_alter_table(table) as batch:
            batch.alter_column("pool", type_=sa.String(length), existing_nullable=False)
