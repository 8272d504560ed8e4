"""Which public traces can be replayed, and what is to be said of one; loads none of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tidegate.vocabulary.demand import CheckpointHabit

RESTART_SECONDS = 120
PUBLISHED = {
    "philly": "philly.csv of github.com/siasosp23/artifacts at commit aaf7a0de7b6c "
    "(from github.com/msr-fiddle/philly-traces, CC-BY-4.0), gzipped or not",
    "helios": "a folder with vc*_cluster_sequence.csv of "
    "github.com/S-Lab-System-Group/HeliosArtifact at commit bdaae109c21f (MIT), gzipped or not",
}
"""Where each trace is published, as docs/evaluation.md names it."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """What a public trace does not tell, and what is wanted of it.

    Attributes:
        accelerator: What its GPUs are taken to be.
        node_size: Accelerators of a node; larger jobs are gangs.
        checkpoint_seconds: How often its jobs are taken to save themselves; 0: never.
        cluster: One of its virtual clusters; None takes all as one queue.
        since: Where the window begins; None: where the trace is worth replaying.
        until: Where it ends.
    """

    accelerator: str
    node_size: int
    checkpoint_seconds: int
    cluster: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def habit(self) -> CheckpointHabit | None:
        """Return how jobs save themselves."""
        interval = self.checkpoint_seconds
        return CheckpointHabit(interval, 0, RESTART_SECONDS) if interval else None
