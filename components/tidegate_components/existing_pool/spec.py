"""An existing pool as a validated, frozen specification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Fragment, Pool
from tidegate.vocabulary.capacity import Cloud


@dataclass(frozen=True, slots=True)
class ExistingPoolSpec:
    """A pool that stands already.

    Attributes:
        pool: Its entry in the manifest.
        identifiers: What names it in its cloud's API.
    """

    pool: Pool
    identifiers: dict[str, str]

    @property
    def cloud(self) -> Cloud:
        """Where it is."""
        return self.pool.cloud

    @property
    def where(self) -> str:
        """How messages call this pool."""
        return f"existing pool {self.pool.id}"

    def to_fragment(self) -> dict[str, Any]:
        """Return what the pool adds to the manifest, as plain JSON."""
        return dump_manifest(Fragment(pools=[self.pool]))
