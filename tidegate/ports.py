"""The edges as Protocols: what the rooms above wire to what the rooms below decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from tidegate.vocabulary.fleet_state import PoolState
from tidegate.vocabulary.history import PoolHistory
from tidegate.vocabulary.notices import NoticeRecord, NoticeReport, RiskRecord
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.records import (
    DecisionRecord,
    NodeRecord,
    Outcome,
    OverrideRecord,
    RefusalRecord,
    SourceRecord,
    StoppedRun,
    TickRecord,
)
from tidegate.vocabulary.reports import WorkReport


class RuleEngine(Protocol):
    """Evaluates the rules on one prepared input document."""

    def evaluate(self, document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the raw verdict objects that the rules give for `document`.

        Raises:
            RuleEngineError: When the engine is down, slow, answers something that is no
                verdict set, or misses a rule; never an empty answer instead.
        """
        ...


class RuleEngineError(Unavailable):
    """The rule engine could not answer; nothing was judged."""


class Clock(Protocol):
    """Tells the time; two ways, because a wall clock jumps."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back; only differences mean something."""
        ...


class WorkSource(Protocol):
    """One source of demand. Its calls block and end by themselves within its time-out."""

    @property
    def name(self) -> str:
        """What people call it; unique."""
        ...

    def fetch(self) -> WorkReport:
        """Ask.

        Raises:
            SourceFault: No answer, or one that cannot be believed.
        """
        ...


class Pools(Protocol):
    """The pools in their clouds. Calls block; sizes are absolute, so that repeating one is safe."""

    def fetch_state(self, pool: str) -> PoolState:
        """Return a pool as its cloud shows it.

        Raises:
            CloudRefused: It could not be read.
        """
        ...

    def can_choose(self, pool: str) -> bool:
        """Return whether its cloud deletes the machines that are named, and no others."""
        ...

    def apply_size(self, pool: str, seen: int, wanted: int) -> None:
        """Set a pool's size, if it is still what it was when the decision was made.

        Raises:
            CloudRefused: Refused; CONFLICT when somebody else changed the size meanwhile.
        """
        ...

    def apply_removal(self, pool: str, machines: Sequence[str]) -> None:
        """Delete machines and lower the size by as many; those that are gone already are done.

        Raises:
            CloudRefused: Refused.
        """
        ...


class Cordons(Protocol):
    """Closes and empties nodes before they are deleted. Every call may be made twice."""

    def close(self, pool: str, node: str) -> bool:
        """Let nothing new start on a node; return whether it is still empty then.

        Raises:
            SourceFault: The cluster does not answer.
        """
        ...

    def reopen(self, pool: str, node: str) -> None:
        """Undo `close` and `start_drain`.

        Raises:
            SourceFault: The cluster does not answer.
        """
        ...

    def start_drain(
        self, pool: str, node: str, pods: Sequence[str], at: datetime, closed_by_us: bool
    ) -> None:
        """Close a node, write down since when it is emptied, and ask its work to save itself.

        Raises:
            SourceFault: The cluster does not answer.
        """
        ...

    def ask_checkpoint(self, pool: str, pods: Sequence[str], at: datetime | None) -> None:
        """Ask pods to save themselves, or take that back (None).

        Raises:
            SourceFault: The cluster does not answer.
        """
        ...

    def evict(self, pool: str, node: str, pods: Mapping[str, int | None]) -> Mapping[str, str]:
        """Tell pods to end; return those that a disruption budget keeps, with its words.

        Args:
            pool: The pool whose cluster has them.
            node: The node that is emptied to the end by it; empty where only pods give way.
            pods: Each "namespace/name" → the seconds it gets to end; None for its own.

        Raises:
            SourceFault: The cluster does not answer.
        """
        ...


class Runs(Protocol):
    """Runs of Polyaxon ("owner/project/uuid"), which their server stops and resumes."""

    def controls(self, run: str) -> bool:
        """Return whether a server is known that has this run."""
        ...

    def stop(self, run: str) -> None:
        """Stop a run; one that is stopped already stays so.

        Raises:
            SourceFault: Its server does not answer, or refuses.
        """
        ...

    def resume(self, run: str) -> None:
        """Have a run that ended go on.

        Raises:
            SourceFault: Its server does not answer, or refuses.
        """
        ...

    def fetch_status(self, run: str) -> str:
        """Return a run's status, in Polyaxon's word.

        Raises:
            SourceFault: Its server does not answer.
        """
        ...


class NoticeSource(Protocol):
    """A queue of announcements that machines are taken away. Its calls block."""

    @property
    def name(self) -> str:
        """What people call it; unique."""
        ...

    def fetch(self) -> NoticeReport:
        """Take what was announced; it comes again unless it is settled.

        Raises:
            SourceFault: No answer.
        """
        ...

    def settle(self, receipts: Sequence[str]) -> None:
        """Have messages deleted.

        Raises:
            SourceFault: No answer; they come again.
        """
        ...


class NoticeStore(Protocol):
    """What is remembered of interruptions, and of runs that wait to go on."""

    def record_notices(self, token: int, notices: Sequence[NoticeRecord]) -> None:
        """Remember notices; one that is known already changes nothing."""
        ...

    def record_drill(self, notice: NoticeRecord) -> None:
        """Remember a person's wish to interrupt a node; it needs no lead."""
        ...

    def read_notices(self, since: datetime) -> Sequence[NoticeRecord]:
        """Return what came in since, or concerns what is still to come, oldest first."""
        ...

    def record_struck(self, token: int, struck: NoticeRecord, counts: bool) -> None:
        """Write down whose machine a notice means, once; and count it as an interruption."""
        ...

    def record_rework(
        self, token: int, notice: str, items: int, seconds: int, accelerator_seconds: int
    ) -> None:
        """Add what a notice makes work repeat."""
        ...

    def record_exposure(self, token: int, node_seconds: Mapping[str, int]) -> None:
        """Add how long nodes of each offering ran."""
        ...

    def read_risks(self) -> Sequence[RiskRecord]:
        """Return how each offering fared."""
        ...

    def record_stopped_run(self, token: int, run: StoppedRun) -> None:
        """Write down that a run is stopped and is to go on; one that is known stays as it is."""
        ...

    def drop_stopped_run(self, token: int, run: str) -> None:
        """Forget a run that goes on, or that nobody can make go on."""
        ...

    def read_stopped_runs(self) -> Sequence[StoppedRun]:
        """Return the runs that are to go on."""
        ...


class StateStore(NoticeStore, Protocol):
    """What the controller remembers. Every write is fenced by the token of a lease.

    A write with a token that is not the current one raises LeaseLost and changes nothing.
    """

    def take_lease(self, holder: str, monotonic: float) -> int | None:
        """Take, keep or renew the lead; return its token, None while another holds it."""
        ...

    def renew_lease(self, token: int) -> None:
        """Show a sign of life; a lead that is lost or given back is not taken again."""
        ...

    def release_lease(self, token: int) -> None:
        """Give the lead back; nothing happens when it is lost already."""
        ...

    def check_lease(self, token: int) -> None:
        """Raise LeaseLost when the token is not the current one."""
        ...

    def record_intents(
        self, token: int, decisions: Sequence[DecisionRecord]
    ) -> Sequence[DecisionRecord]:
        """Write decisions down before anything is done; return them with their ids."""
        ...

    def record_outcome(self, token: int, decision: int, outcome: Outcome, detail: str) -> None:
        """Write down what became of a decision."""
        ...

    def record_tick(
        self,
        token: int,
        tick: TickRecord,
        nodes: Sequence[NodeRecord],
        refusals: Sequence[RefusalRecord],
        sources: Sequence[SourceRecord],
    ) -> None:
        """Replace what is remembered of nodes, refusals and sources, and add the tick."""
        ...

    def record_snapshot(self, token: int, snapshot: Mapping[str, Any]) -> None:
        """Replace what is shown of the last turn: a JSON document without secrets."""
        ...

    def record_histories(self, token: int, histories: Sequence[PoolHistory]) -> None:
        """Replace what is remembered of the work of some pools."""
        ...

    def read_histories(self) -> Sequence[PoolHistory]:
        """Return what is remembered of every pool's work."""
        ...

    def read_snapshot(self) -> Mapping[str, Any] | None:
        """Return what is shown of the last turn; None before the first."""
        ...

    def read_nodes(self) -> Sequence[NodeRecord]:
        """Return what is remembered of nodes."""
        ...

    def read_refusals(self) -> Sequence[RefusalRecord]:
        """Return the refusals that are remembered."""
        ...

    def read_sources(self) -> Sequence[SourceRecord]:
        """Return how the sources answered last."""
        ...

    def record_override(self, override: OverrideRecord) -> None:
        """Write a person's word on a pool down; it needs no lead, and replaces an earlier one."""
        ...

    def drop_override(self, pool: str) -> bool:
        """Take a person's word back; return whether there was one."""
        ...

    def read_overrides(self) -> Sequence[OverrideRecord]:
        """Return what persons said of pools, lapsed ones too."""
        ...

    def read_decisions(self, pool: str | None, limit: int) -> Sequence[DecisionRecord]:
        """Return the last decisions, newest first; of one pool, or of all."""
        ...

    def read_last_tick(self) -> TickRecord | None:
        """Return the last finished tick."""
        ...

    def read_leader(self) -> str:
        """Return who holds the lead; empty when nobody does."""
        ...
