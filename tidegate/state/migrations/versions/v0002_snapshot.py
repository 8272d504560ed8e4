"""What the last turn saw and decided, for the page and the status."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of the one snapshot."""
    op.create_table(
        "snapshots",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("document", sa.JSON, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("snapshots")
