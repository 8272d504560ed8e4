"""How often work should save itself.

Young (1974) and Daly (2006): with a write time δ and a mean time M between failures, the interval
√(2δM), or √(2δM) − δ, loses least to writing and to repeating.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tidegate.scaling.risk import InterruptionRecord
from tidegate.vocabulary.demand import CheckpointHabit

HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class CheckpointAdvice:
    """An interval and what it costs.

    Attributes:
        young_seconds: √(2δM).
        daly_seconds: √(2δM) − δ, at least δ; the one to take.
        mean_time_between_failures_seconds: M.
        overhead_now: Share of the time lost with the interval declared; None without one.
        overhead_advised: Share of the time lost with Daly's.
        reason: For a person.
    """

    young_seconds: int
    daly_seconds: int
    mean_time_between_failures_seconds: int
    overhead_now: Decimal | None
    overhead_advised: Decimal
    reason: str


def advise_interval(
    write_seconds: int,
    restart_seconds: int,
    seen: InterruptionRecord,
    habit: CheckpointHabit | None,
) -> CheckpointAdvice | None:
    """Return advice from observed interruptions; None while none was observed.

    Args:
        write_seconds: What one checkpoint takes (δ); above 0.
        restart_seconds: From an interruption until the work goes on.
        seen: Node hours of this work, and its interruptions.
        habit: What the work declares now.

    Raises:
        ValueError: When the write time is not above 0 or the restart is negative.
    """
    if write_seconds <= 0 or restart_seconds < 0:
        raise ValueError("a checkpoint takes time to write, and a restart takes no less than none")
    if seen.interruptions <= 0 or seen.node_hours <= 0:
        return None
    mean = seen.node_hours * HOUR / seen.interruptions
    young = (2 * Decimal(write_seconds) * mean).sqrt()
    daly = max(young - write_seconds, Decimal(write_seconds))
    advised = lost_share(daly, write_seconds, restart_seconds, mean)
    now = None
    if habit is not None:
        interval = Decimal(habit.interval_seconds)
        now = lost_share(interval, write_seconds, restart_seconds, mean)
    return CheckpointAdvice(
        young_seconds=round(young),
        daly_seconds=round(daly),
        mean_time_between_failures_seconds=round(mean),
        overhead_now=now,
        overhead_advised=advised,
        reason=_explain(daly, mean, now, advised),
    )


def lost_share(
    interval: Decimal, write_seconds: int, restart_seconds: int, mean: Decimal
) -> Decimal:
    """Return the share of time lost to writing, and to half an interval and a restart a failure."""
    writing = write_seconds / (interval + write_seconds)
    repeating = (interval / 2 + write_seconds + restart_seconds) / mean
    return min(writing + repeating, Decimal(1)).quantize(Decimal("0.0001"))


def _explain(daly: Decimal, mean: Decimal, now: Decimal | None, advised: Decimal) -> str:
    text = f"with a failure every {mean / 60:.0f} min, save every {daly / 60:.0f} min: "
    text += f"{advised * 100:.1f} % of the time is lost"
    return text if now is None else f"{text}, now it is {now * 100:.1f} %"
