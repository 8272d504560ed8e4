"""Items grouped by shape, so that what holds for a shape is found out once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from tidegate.scaling.constraints import count_slots, match_need
from tidegate.scaling.deadline_choice import DeadlineBook
from tidegate.scaling.marginal import Choice, Domain, build_domain, list_choices
from tidegate.scaling.offerings import NodeRoom
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.demand import AcceleratorNeed, WorkItem, WorkShape


@dataclass(slots=True, eq=False)
class Group:
    """Items of one shape and urgency.

    Attributes:
        shape: What they need.
        urgent: True when a deadline leaves no time for an interruption.
        anywhere: Offerings that may serve them, best for one item first.
        domains: The same by where a gang can span, best domain first.
        items: In the order of their turn.
        uniform: True when all nodes it may use have equally many accelerators.
        exhausted: True once an item of this shape found no seat: what is free only shrinks.
    """

    shape: WorkShape
    urgent: bool
    anywhere: Domain
    domains: tuple[Domain, ...]
    items: list[WorkItem] = field(default_factory=list)
    uniform: bool = True
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What may serve a shape: in order, by domain, and whether all nodes have equal room."""

    anywhere: Domain
    domains: tuple[Domain, ...]
    uniform: bool


Fitting = tuple[NodeRoom, AcceleratorNeed | None]
"""A room and the alternative that it satisfies."""


class OptionBook:
    """Options by what they depend on, so that shapes that differ elsewhere share them."""

    def __init__(self, situation: Situation) -> None:
        """Open an empty book for one decision."""
        self._situation = situation
        self._known: dict[Hashable, Options] = {}
        self._by_object: dict[tuple[int, bool], tuple[WorkShape, Options]] = {}
        self._fitting: dict[tuple[AcceleratorNeed, ...], list[Fitting]] = {}

    def options_for(self, shape: WorkShape, *, urgent: bool) -> Options:
        """Return the options of a shape."""
        marker = (id(shape), urgent)
        noted = self._by_object.get(marker)
        if noted is None:
            # The shape is kept with them, so that no other object can take its id.
            noted = self._by_object[marker] = (shape, self._options_of(shape, urgent))
        return noted[1]

    def _options_of(self, shape: WorkShape, urgent: bool) -> Options:
        key = self._key_of(shape, urgent)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = build_options(shape, urgent, self._situation)
        return found

    def _key_of(self, shape: WorkShape, urgent: bool) -> Hashable:
        """Return all that constraints, slots and price take from a shape, and nothing else."""
        moved = any(entry.read_gb or entry.write_gb for entry in shape.data)
        timed = moved or shape.checkpoint is None
        return (
            shape.accelerators,
            shape.workers,
            shape.workload_class,
            shape.tolerates_interruption(),
            shape.checkpoint,
            shape.placement,
            shape.data if moved else (),
            shape.duration_seconds if timed else None,
            shape.wait_target_seconds,
            bool(shape.vcpus_milli),
            urgent,
            *(count_slots(shape, need, room) for room, need in self._fitting_for(shape)),
        )

    def _fitting_for(self, shape: WorkShape) -> list[Fitting]:
        """Return the rooms that could take a worker, each with the alternative it satisfies."""
        found = self._fitting.get(shape.accelerators)
        if found is None:
            found = self._fitting[shape.accelerators] = [
                (room, need)
                for room in self._situation.rooms
                if (need := match_need(shape, room)) or not shape.accelerators
            ]
        return found


def build_options(shape: WorkShape, urgent: bool, situation: Situation) -> Options:
    """Return what may serve a shape."""
    choices = list_choices(shape, situation, urgent=urgent)
    domains: dict[tuple[str, str], list[Choice]] = {}
    for choice in choices:
        domain = situation.pools[choice.offering.pool].domain
        domains.setdefault((domain, choice.offering.room.accelerator), []).append(choice)
    chips = {choice.offering.room.accelerators for choice in choices}
    spans = tuple(build_domain(entry) for entry in domains.values())
    return Options(build_domain(choices), spans, len(chips) <= 1)


def group_items(
    items: Iterable[WorkItem], book: OptionBook, deadlines: DeadlineBook
) -> dict[str, Group]:
    """Return each item's group, by item id."""
    numbers: dict[WorkShape, int] = {}
    by_shape: dict[tuple[int, bool], Group] = {}
    by_object: dict[tuple[int, bool], Group] = {}
    found: dict[str, Group] = {}
    for item in items:
        urgent = item.deadline is not None and deadlines.is_urgent(
            item.shape, item.deadline, item.work_left_seconds
        )
        # Hashing a shape costs more than looking up the object that many items share.
        marker = (id(item.shape), urgent)
        group = by_object.get(marker)
        if group is None:
            key = (numbers.setdefault(item.shape, len(numbers)), urgent)
            group = by_shape.get(key) or build_group(item.shape, urgent, book)
            by_shape[key] = by_object[marker] = group
        group.items.append(item)
        found[item.id] = group
    return found


def build_group(shape: WorkShape, urgent: bool, book: OptionBook) -> Group:
    """Return an empty group with its choices."""
    options = book.options_for(shape, urgent=urgent)
    return Group(shape, urgent, options.anywhere, options.domains, uniform=options.uniform)
