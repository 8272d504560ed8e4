"""What one source of signals answers, and the fault when it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.fleet_state import ClusterNode


class SourceFault(RuntimeError):
    """A source gave no answer that can be believed; the message says what was asked and came."""


@dataclass(frozen=True, slots=True)
class WorkReport:
    """One answer of one source.

    Attributes:
        items: What waits.
        nodes: The nodes of the source's cluster; None where the source is no cluster.
        in_progress: Pool → pieces of work in progress there, for pools whose work shows only in a
            queue. A pool that is absent is not spoken of, which is not the same as 0.
        notes: What was seen and not counted, for people.
    """

    items: tuple[WorkItem, ...] = ()
    nodes: tuple[ClusterNode, ...] | None = None
    in_progress: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
