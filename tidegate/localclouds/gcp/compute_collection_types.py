"""Compute's kinds that the engine treats unlike the rest: commitments and future reservations."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.collection_types import CollectionType
from tidegate.localclouds.gcp.compute_kinds import COMMITMENT_KIND
from tidegate.localclouds.gcp.future_kinds import FUTURE_KIND, check_future_change
from tidegate.localclouds.gcp.gke import raise_first


class CommitmentType(CollectionType):
    """`gcp:compute/regionCommitment:RegionCommitment`: a contract, which nothing ends early."""

    def __init__(self, collections: Collections) -> None:
        super().__init__(collections, COMMITMENT_KIND)

    def replacements(self, old: Values, new: Values, call: Call) -> Iterable[str]:
        """Replace when other reservations are attached; the first ones, later shown, are none.

        hashicorp/terraform-provider-google#27579.
        """
        before, after = old.get("existingReservations"), new.get("existingReservations")
        return ["existingReservations"] if before and before != after else []

    def save(self, name: str, body: Body) -> Body:
        """Change nothing: the provider has no update of a commitment."""
        return self.load(name)

    def remove(self, name: str, inputs: Values) -> None:
        """Drop it from the state alone: the commitment goes on, and so does its bill."""


class FutureReservationType(CollectionType):
    """`gcp:compute/futureReservation:FutureReservation`."""

    def __init__(self, collections: Collections) -> None:
        super().__init__(collections, FUTURE_KIND)

    def save(self, name: str, body: Body) -> Body:
        """Keep it, unless what was submitted would be a draft again."""
        raise_first(check_future_change(self.load(name), body))
        return super().save(name, body)
