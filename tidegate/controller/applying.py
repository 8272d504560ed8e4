"""Carrying orders out: written down first, fenced before each call, several clouds at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from tidegate.controller.logs import hide_secrets
from tidegate.controller.orders import Order
from tidegate.controller.spending import Spending, may_free
from tidegate.controller.together import InThreads, finish_all
from tidegate.controller.tracing import span
from tidegate.controller.wiring import Wiring
from tidegate.ports import StateStore
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.records import Outcome
from tidegate.vocabulary.reports import SourceFault

AT_ONCE = 8
"""Orders under way at the same time, over all clouds."""
FREELY = Spending()


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an order; `kind` is None unless a cloud refused.

    `kept` are machines that were to go and stay, for work started on them meanwhile.
    """

    order: Order
    outcome: Outcome
    detail: str
    kind: RefusalKind | None = None
    kept: int = 0


class Applier(InThreads):
    """Carries orders out under one lease."""

    def __init__(self, wiring: Wiring, store: StateStore, executor: Executor, token: int) -> None:
        super().__init__(executor)
        self._wiring = wiring
        self._store = store
        self._token = token
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def apply(self, orders: Sequence[Order], spending: Spending = FREELY) -> list[Done]:
        """Write every order down, then carry them out: all at once, or deletions first.

        Args:
            orders: Those that nothing forbids.
            spending: What the fleet may cost; where growth needs that others shrink, it waits.

        Raises:
            LeaseLost: Another leads now; what was not asked yet is not asked any more.
        """
        intents = await self._run(
            self._store.record_intents, self._token, [order.record for order in orders]
        )
        written = [
            replace(order, record=record) for order, record in zip(orders, intents, strict=True)
        ]
        if not spending.explain_excess(()):
            return await finish_all(self._carry_out(order) for order in written)
        freeing = [order for order in written if may_free(order)]
        growing = [order for order in written if not may_free(order)]
        done = await finish_all(self._carry_out(order) for order in freeing)
        shrunk = {
            each.order.pool for each in done if each.outcome is Outcome.APPLIED and not each.kept
        }
        work = (self._grow(order, spending, shrunk) for order in growing)
        return [*done, *await finish_all(work)]

    async def _grow(self, order: Order, spending: Spending, shrunk: set[str]) -> Done:
        # What an order deletes in its own pool goes before anything comes there.
        excess = spending.explain_excess({*shrunk, order.pool})
        return await (self._hold(order, excess) if excess else self._carry_out(order))

    async def _hold(self, order: Order, why: str) -> Done:
        held = Outcome.HELD
        await self._run(self._store.record_outcome, self._token, order.record.id, held, why)
        return Done(order, held, why)

    async def _carry_out(self, order: Order) -> Done:
        async with self._turn:
            with span("apply order", pool=order.pool, action=order.record.action) as asked:
                done = await self._run(self._ask_cloud, order)
                asked.note(from_nodes=order.seen, to_nodes=order.wanted, outcome=done.outcome.value)
                asked.fail(done.detail if done.kind is not None else "")
        await self._run(
            self._store.record_outcome,
            self._token,
            order.record.id,
            done.outcome,
            done.detail,
        )
        return done

    def _ask_cloud(self, order: Order) -> Done:
        try:
            kept = self._close_nodes(order)
            machines = [name for name in order.machines if name not in kept]
            seen, wanted = order.seen - len(machines), order.wanted + len(kept)
            if kept:  # what was to come in their place waits for the next look
                wanted = min(wanted, order.seen)
            if kept and not self._wiring.pools.can_choose(order.pool):
                return Done(order, Outcome.HELD, f"work started on {len(kept)} nodes meanwhile")
            if machines:
                self._store.check_lease(self._token)
                self._wiring.pools.apply_removal(order.pool, machines)
            if wanted != seen:
                self._store.check_lease(self._token)
                self._wiring.pools.apply_size(order.pool, seen, wanted)
        except CloudRefused as refusal:
            return Done(order, Outcome.REFUSED, hide_secrets(str(refusal)), refusal.kind)
        except SourceFault as fault:
            why = hide_secrets(str(fault))
            return Done(order, Outcome.HELD, f"its nodes could not be closed: {why}")
        note = f"work started on {len(kept)} nodes meanwhile, which are kept" if kept else ""
        return Done(order, Outcome.APPLIED, note, kept=len(kept))

    def _close_nodes(self, order: Order) -> set[str]:
        """Close nodes; return the machines of those on which work started before that."""
        cordons = self._wiring.cordons
        kept = set()
        for node, machine in order.nodes.items():
            if cordons is None:
                raise SourceFault("no cluster is known that closes nodes")
            self._store.check_lease(self._token)
            if not cordons.close(order.pool, node):
                cordons.reopen(order.pool, node)
                kept.add(machine)
        return kept
