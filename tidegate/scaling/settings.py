"""How carefully and how fast to scale; every default has its reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tidegate.vocabulary.plans import HoldCause


@dataclass(frozen=True, slots=True)
class PoolOverride:
    """A person's word on one pool.

    Attributes:
        pool: The pool.
        owner: Who said it.
        until: When it lapses; an override without an end is refused by the type.
        nodes: The size that it is pinned to; None where it is merely paused.
        is_unread: True where nobody said it: the pool could not be read.
    """

    pool: str
    owner: str
    until: datetime
    nodes: int | None = None
    is_unread: bool = False

    def cause(self) -> HoldCause:
        """Return by which kind of cause the pool is held."""
        if self.is_unread:
            return HoldCause.UNREAD
        return HoldCause.PAUSED if self.nodes is None else HoldCause.PINNED


@dataclass(frozen=True, slots=True)
class ScalingSettings:
    """Settings of one decision.

    Attributes:
        hourly_ceiling: What the fleet may cost an hour; None where nothing bounds it.
        overrides: Paused and pinned pools.
        stale_after_seconds: Age from which a signal is no longer believed.
        clock_skew_seconds: How far ahead of `now` a stamp may be.
        boot_patience: An ordered node is given up after this many times its boot time.
        node_cooldown_seconds: A node is left alone this long after it changed.
        keep_alive_min_seconds: A node stays idle at least this long, unless a cheaper one took its
            work over.
        keep_alive_max_seconds: And at most this long, whatever was learned.
        wait_cost_per_hour: What an hour of waiting for one node is worth, beside its price.
        warm_share: Keep as much room free as would have served this share of what arrived within
            a boot time, as observed; None keeps none.
        saving_horizon_seconds: A move must pay for itself within this time.
        max_rework_seconds: Work that a preemption or move may repeat, each item.
        max_preemptions: Items preempted in one decision.
        stop_without_checkpoint: Whether a higher priority may kill work that cannot resume.
        cpu_on_accelerators: Whether work without accelerators may open or use their pools.
        stock_out_backoff_seconds: Wait after the first refusal; doubles with each. Work that runs
            already, and would run there for less, tries again after each such first wait.
        stock_out_backoff_max_seconds: Longest such wait.
        quota_backoff_seconds: Wait after a quota refusal.
        commitment_lead_seconds: Nodes of an ending capacity block are drained this early.
        default_duration_seconds: Stands in for an unknown run time when transfers are weighed.
        deadline_margin_seconds: Kept between the end of work and its deadline.
        repacked_items: Up to this many served items are laid out anew to cost less.
        exact_groups: Solve exactly up to this many shapes; 0 never does.
        exact_columns: And up to this many shape-offering pairs.
        exact_nodes: Branch-and-bound nodes that the solver may visit.
    """

    hourly_ceiling: Decimal | None = None
    overrides: tuple[PoolOverride, ...] = ()
    stale_after_seconds: int = 120
    clock_skew_seconds: int = 5
    boot_patience: int = 3
    node_cooldown_seconds: int = 600
    keep_alive_min_seconds: int = 60
    keep_alive_max_seconds: int = 3600
    wait_cost_per_hour: Decimal = Decimal(0)
    warm_share: Decimal | None = None
    saving_horizon_seconds: int = 3600
    max_rework_seconds: int = 1800
    max_preemptions: int = 16
    stop_without_checkpoint: bool = False
    cpu_on_accelerators: bool = False
    stock_out_backoff_seconds: int = 180
    stock_out_backoff_max_seconds: int = 1800
    quota_backoff_seconds: int = 1800
    commitment_lead_seconds: int = 2400
    default_duration_seconds: int = 3600
    deadline_margin_seconds: int = 300
    repacked_items: int = 50_000
    exact_groups: int = 40
    exact_columns: int = 400
    exact_nodes: int = 2000
