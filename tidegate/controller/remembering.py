"""What is remembered when a turn begins, read from the store at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tidegate.controller.cut_off import recall_cut_off
from tidegate.ports import StateStore
from tidegate.vocabulary.history import PoolHistory
from tidegate.vocabulary.notices import NoticeRecord, RiskRecord
from tidegate.vocabulary.records import NodeRecord, OverrideRecord, RefusalRecord

RECALLED = 300
"""Decisions that are looked through: more than one turn makes."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered when a turn begins; nothing where there is no store."""

    nodes: Sequence[NodeRecord] = ()
    refusals: Sequence[RefusalRecord] = ()
    overrides: Sequence[OverrideRecord] = ()
    risks: Sequence[RiskRecord] = ()
    histories: Sequence[PoolHistory] = ()
    notices: Sequence[NoticeRecord] = ()


def recall(store: StateStore, since: datetime) -> Memory:
    """Return what is remembered, with the orders that nobody lived to write down.

    Args:
        store: The memory of all controllers of a stack.
        since: Notices that came in before are left out, unless they are still to come.

    Raises:
        Unavailable: The store does not answer.
    """
    last = store.read_last_tick()
    return Memory(
        nodes=recall_cut_off(store.read_decisions(None, RECALLED), last, store.read_nodes()),
        refusals=store.read_refusals(),
        overrides=store.read_overrides(),
        risks=store.read_risks(),
        histories=store.read_histories(),
        notices=store.read_notices(since),
    )
