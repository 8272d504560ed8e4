"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "leases",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("holder", sa.String(255), nullable=False),
        sa.Column("token", sa.BigInteger, nullable=False),
        sa.Column("renewals", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("token", sa.BigInteger, nullable=False),
        sa.Column("pool", sa.String(64), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("from_nodes", sa.Integer),
        sa.Column("to_nodes", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("per_hour", sa.String(64), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_index("decisions_by_pool", "decisions", ["pool", "id"])
    op.create_table(
        "nodes",
        sa.Column("id", sa.String(512), primary_key=True),
        sa.Column("pool", sa.String(64), nullable=False),
        sa.Column("phase", sa.String(16), nullable=False),
        sa.Column("since", sa.DateTime, nullable=False),
        sa.Column("offering", sa.String(255), nullable=False),
    )
    op.create_table(
        "refusals",
        sa.Column("offering", sa.String(255), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    op.create_table(
        "sources",
        sa.Column("name", sa.String(128), primary_key=True),
        sa.Column("received_at", sa.DateTime),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("items", sa.Integer, nullable=False),
    )
    op.create_table(
        "overrides",
        sa.Column("pool", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
        sa.Column("nodes", sa.Integer),
    )
    op.create_table(
        "ticks",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("token", sa.BigInteger, nullable=False),
        sa.Column("holder", sa.String(255), nullable=False),
        sa.Column("per_hour", sa.String(64), nullable=False),
        sa.Column("pools", sa.Text, nullable=False),
        sa.Column("waiting", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Drop all tables."""
    for name in ("ticks", "overrides", "sources", "refusals", "nodes", "decisions", "leases"):
        op.drop_table(name)
