"""What clouds announced of machines' ends, how offerings fared, and runs that wait to go on."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "notices",
        sa.Column("id", sa.String(512), primary_key=True),
        sa.Column("cloud", sa.String(16), nullable=False),
        sa.Column("machine", sa.String(512), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("ends_at", sa.DateTime),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("source", sa.String(128), nullable=False),
        sa.Column("received_at", sa.DateTime, nullable=False),
        sa.Column("pool", sa.String(64), nullable=False),
        sa.Column("node", sa.String(512), nullable=False),
        sa.Column("offering", sa.String(255), nullable=False),
        sa.Column("items", sa.Integer, nullable=False),
        sa.Column("rework_seconds", sa.BigInteger, nullable=False),
        sa.Column("accelerator_seconds", sa.BigInteger, nullable=False),
    )
    op.create_index("notices_by_time", "notices", ["received_at"])
    op.create_table(
        "risks",
        sa.Column("offering", sa.String(255), primary_key=True),
        sa.Column("node_seconds", sa.BigInteger, nullable=False),
        sa.Column("interruptions", sa.Integer, nullable=False),
    )
    op.create_table(
        "stopped_runs",
        sa.Column("run", sa.String(512), primary_key=True),
        sa.Column("pool", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for name in ("stopped_runs", "risks", "notices"):
        op.drop_table(name)
