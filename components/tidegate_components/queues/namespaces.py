"""Namespaces of projects: which queues they use, and what no single one of them may take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidegate.manifest.queues import count_units
from tidegate.vocabulary.labels import CostLabels
from tidegate.vocabulary.problems import suggest
from tidegate_components.arguments import Arguments
from tidegate_components.queues import args as shapes
from tidegate_components.queues.spec import NamespaceSpec, QueueSpec

GRAMMAR = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
OF_THE_SYSTEM = "kube-"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A namespace with where it stands in the arguments and its quotas by accelerator."""

    place: str
    spec: NamespaceSpec
    quotas: Mapping[str, int]


def parse_namespaces(
    read: Arguments, labels: CostLabels, queues: Sequence[QueueSpec]
) -> list[Parsed]:
    """Return the namespaces of the arguments."""
    readers = read.nested_list("namespaces", shapes.NamespaceArgs)
    found = [
        _parse(each, f"namespaces[{index}]", labels, queues) for index, each in enumerate(readers)
    ]
    if not found and not read.problems:
        read.refuse("namespaces", None, "is empty, so that nobody could use the queues", "one")
    for name, count in Counter(each.spec.name for each in found).items():
        if count > 1:
            read.refuse("namespaces", name, f"is declared {count} times", "each name once")
    return found


def _parse(read: Arguments, place: str, labels: CostLabels, queues: Sequence[QueueSpec]) -> Parsed:
    name = read.text("name")
    if name and (not re.fullmatch(GRAMMAR, name) or name.startswith(OF_THE_SYSTEM)):
        reason = (
            "is no name of a namespace: Kubernetes takes DNS labels, and keeps kube- for itself"
        )
        expected = "1 to 63 lowercase letters, digits and '-', not at either end"
        read.refuse("name", name, reason, expected)
    known = {queue.id: queue for queue in queues}
    used = read.texts("queues")
    for index, queue_id in enumerate(used):
        if queue_id not in known:
            reason = "is no queue" + suggest(queue_id, known)
            read.refuse(f"queues[{index}]", queue_id, reason, f"one of {', '.join(known)}")
    mine = [known[queue_id] for queue_id in used if queue_id in known]
    quotas = _quotas(read, mine)
    hard: Counter[str] = Counter()
    for queue in {queue.accelerator.name: queue for queue in mine if queue.accelerator}.values():
        if queue.accelerator and queue.accelerator.name in quotas:
            # Kubernetes counts the resource, whichever chip is behind it.
            hard[f"requests.{queue.resource}"] += quotas[queue.accelerator.name]
    pods = read.optional_whole("max_pods", minimum=1)
    bounds = {**hard, **({"pods": pods} if pods else {})}
    exists = read.flag("existing", False)
    own = read.cost_labels() if read.has("labels") else labels
    return Parsed(place, NamespaceSpec(name, exists, own, used, bounds), quotas)


def _quotas(read: Arguments, queues: Sequence[QueueSpec]) -> dict[str, int]:
    given = read.whole_map("quotas")
    known = {queue.accelerator.name for queue in queues if queue.accelerator}
    for name, units in given.items():
        if name not in known:
            reason = "is the accelerator of none of its queues"
            expected = f"one of {', '.join(sorted(known))}" if known else "no quota"
            read.refuse(f"quotas.{name}", units, reason, expected)
    return given


def check_shares(read: Arguments, parsed: Sequence[Parsed], queues: Sequence[QueueSpec]) -> None:
    """Refuse a namespace that could take all of an accelerator from the others that use it."""
    accelerators = {queue.accelerator.name for queue in queues if queue.accelerator}
    for name in sorted(accelerators):
        of_it = [queue for queue in queues if queue.accelerator and queue.accelerator.name == name]
        total = sum({pool.id: count_units(pool) for q in of_it for pool in q.pools}.values())
        ids = {queue.id for queue in of_it}
        users = [each for each in parsed if ids & set(each.spec.queues)]
        for each in users if len(users) > 1 else ():
            _check_share(read, each, name, total, len(users))


def _check_share(read: Arguments, each: Parsed, name: str, total: int, users: int) -> None:
    key, units = f"{each.place}.quotas.{name}", each.quotas.get(name)
    if units is None:
        reason = f"is missing: {users} namespaces share it, and one could take all {total}"
        read.refuse(key, None, reason, f"less than {total}")
    elif units >= total:
        reason = f"is all that there can be, and {users} namespaces share it"
        read.refuse(key, units, reason, f"less than {total}")
