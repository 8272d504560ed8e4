"""What is remembered of each pool's work: gaps, arrivals, and how long it may wait."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "histories",
        sa.Column("pool", sa.String(64), primary_key=True),
        sa.Column("looked_at", sa.DateTime, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("histories")
