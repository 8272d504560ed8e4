"""What the controller works on: the stack's manifest, and the ports to its pools and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tidegate.catalog.catalog import Catalog
from tidegate.controller.reap_ports import Messenger, Reapables, UseSource
from tidegate.manifest.model import Manifest, Pool
from tidegate.ports import Cordons, NoticeSource, Pools, Runs, WorkSource
from tidegate.scaling.fleet import PoolSupply
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.supply import build_offerings, build_pools
from tidegate.vocabulary.capacity import PoolKind, Scaler

UNSIZED = frozenset({PoolKind.KARPENTER_NODE_POOL, PoolKind.MANAGED_TRAINING})
"""Kinds whose nodes come and go with something else; they are declared, and have no size here."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """One version of the stack, wired up.

    Attributes:
        manifest: As declared.
        pools: The pools in their clouds.
        sources: Where demand comes from.
        cordons: Closes nodes; None where no cluster is known.
        clusters: Source's name → the pools whose nodes it lists.
        reapables: Notebooks and endpoints in their clouds; None where none are wired.
        use: Where utilisation is told.
        messenger: Tells owners what is about to end; None where nobody listens.
        notices: Where clouds announce that they take machines away.
        runs: Stops and resumes runs of Polyaxon; None where no server is known.
        supply: The declared pools that have a size.
        market: What can be ordered.
        currency: Of every amount.
    """

    manifest: Manifest
    pools: Pools
    sources: Sequence[WorkSource]
    supply: tuple[PoolSupply, ...]
    market: Offerings
    currency: str
    cordons: Cordons | None = None
    clusters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notices: Sequence[NoticeSource] = ()
    runs: Runs | None = None
    reapables: Reapables | None = None
    use: Sequence[UseSource] = ()
    messenger: Messenger | None = None

    def declared(self) -> list[Pool]:
        """Return the declared pools that have a size."""
        return [pool for pool in self.manifest.pools if pool.kind not in UNSIZED]

    def resized(self) -> list[Pool]:
        """Return the pools that this controller resizes; all others it only observes."""
        return [pool for pool in self.declared() if pool.scaler is Scaler.TIDEGATE]


def build_wiring(
    manifest: Manifest,
    catalog: Catalog,
    pools: Pools,
    sources: Sequence[WorkSource],
    cordons: Cordons | None = None,
    clusters: Mapping[str, tuple[str, ...]] | None = None,
    notices: Sequence[NoticeSource] = (),
) -> Wiring:
    """Return a stack wired up."""
    ceiling = manifest.hourly_ceiling
    currency = ceiling.currency if ceiling else "USD"
    sized = {pool.id for pool in manifest.pools if pool.kind not in UNSIZED}
    return Wiring(
        manifest=manifest,
        pools=pools,
        sources=sources,
        supply=tuple(each for each in build_pools(manifest, catalog) if each.id in sized),
        market=build_offerings(manifest, catalog, currency=currency),
        currency=currency,
        cordons=cordons,
        clusters=clusters or {},
        notices=notices,
    )
