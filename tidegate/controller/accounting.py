"""What interruptions cost, written down: whose machine, what is repeated, how long it ran."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tidegate.controller.emptying import Finished
from tidegate.controller.errands import rework_seconds
from tidegate.controller.interruptions import Struck, build_interruption
from tidegate.ports import StateStore
from tidegate.vocabulary.notices import NoticeKind, NoticeRecord

WEIGHTIEST = tuple(NoticeKind)
"""Of several notices of one machine the first of these has what it cost."""


def record_struck(store: StateStore, token: int, struck: Sequence[Struck], now: datetime) -> None:
    """Write down whose machines new notices mean.

    Raises:
        LeaseLost: Another leads now.
    """
    new = [each for each in struck if each.is_new]
    if not new:
        return
    told = [build_interruption(each, now) for each in new if each.matters]
    if told:
        store.record_intents(token, told)
    for each in new:
        store.record_struck(token, each.record, each.counts)


def find_weightiest(struck: Sequence[Struck], pool: str, node: str) -> NoticeRecord | None:
    """Return the notice that has what a node's end cost; None where none tells of it."""
    told = [each.record for each in struck if (each.record.pool, each.record.node) == (pool, node)]
    return min(told, key=lambda each: WEIGHTIEST.index(each.notice.kind), default=None)


def record_rework(
    store: StateStore,
    token: int,
    finished: Sequence[Finished],
    struck: Sequence[Struck],
    now: datetime,
) -> None:
    """Add to each notice what its machine's end makes work repeat.

    Raises:
        LeaseLost: Another leads now.
    """
    for done in finished:
        if not done.errand.forced or not done.ended:
            continue
        record = find_weightiest(struck, done.errand.pool, done.errand.node)
        if record is None:
            continue
        seconds = [(rework_seconds(pod, now) or 0, pod.accelerators) for pod in done.ended]
        store.record_rework(
            token,
            record.notice.id,
            len(done.ended),
            sum(repeated for repeated, _ in seconds),
            sum(repeated * accelerators for repeated, accelerators in seconds),
        )
