"""What one turn came to, for whoever records, shows or logs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidegate.controller.applying import Done
from tidegate.controller.deciding import Decision
from tidegate.controller.emptying import Finished
from tidegate.controller.hearing import Heard
from tidegate.controller.listening import Told
from tidegate.controller.orders import Order
from tidegate.controller.reap_records import Reaped
from tidegate.controller.reaping import Reaping
from tidegate.controller.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Tick:
    """One turn of the loop: what was decided, and what became of it (empty in a dry run)."""

    wiring: Wiring
    decision: Decision
    orders: Sequence[Order]
    done: Sequence[Done] = ()
    finished: Sequence[Finished] = ()
    told: Sequence[Told] = ()
    listeners: Sequence[Heard] = ()
    reaping: Reaping = field(default_factory=Reaping)
    reaped: Sequence[Reaped] = ()
