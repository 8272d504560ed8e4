"""Which accelerated machines a pool is made of, held against the catalog."""

from __future__ import annotations

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.hardware import check_offered
from tidegate_components.node_pools.hardware import Hardware, check_one_shape, find_types


def parse_hardware(read: Arguments, cloud: Cloud, catalog: Catalog) -> Hardware | None:
    """Return the machines that the arguments name; None when they are refused."""
    before = len(read.problems)
    region, zones = read.text("region"), read.texts("zones")
    accelerator = _find_accelerator(read, catalog)
    types = find_types(read, cloud, catalog)
    if accelerator is None or not types or len(read.problems) > before:
        return None
    per_node = _count(read, types, accelerator)
    check_one_shape(read, cloud, types)
    for index, each in enumerate(types):
        check_offered(read, f"instance_types[{index}]", each, (region, zones), catalog)
    if per_node is None or len(read.problems) > before:
        return None
    return Hardware(region, zones, accelerator, per_node, types)


def _find_accelerator(read: Arguments, catalog: Catalog) -> Accelerator | None:
    name = read.text("accelerator")
    if not name:
        return None
    try:
        return catalog.accelerator(name)
    except InvalidInput as error:
        read.adopt(error, "accelerator")
        return None


def _count(
    read: Arguments, types: tuple[InstanceType, ...], accelerator: Accelerator
) -> int | None:
    """Return the accelerators of one node, from the type or, where it leaves a choice, as given."""
    given = read.optional_whole("accelerators_per_node", minimum=1)
    counts = {_count_of(read, index, each, accelerator, given) for index, each in enumerate(types)}
    if None in counts:
        return None
    if len(counts) > 1:
        reason = "have different numbers of accelerators, and an autoscaler sees the first only"
        expected = "types of one shape"
        read.refuse("instance_types", ", ".join(each.name for each in types), reason, expected)
        return None
    return counts.pop()


def _count_of(
    read: Arguments, index: int, each: InstanceType, accelerator: Accelerator, given: int | None
) -> int | None:
    allowed = each.attachable.get(accelerator.name, ())
    if allowed:
        if given not in allowed:
            reason = f"cannot be attached to {each.name}"
            expected = f"one of {', '.join(map(str, allowed))}"
            read.refuse("accelerators_per_node", given, reason, expected)
            return None
        return given
    if each.accelerator != accelerator.name:
        has = f"has {each.accelerator}" if each.accelerator else "has no accelerator"
        reason = f"{has}, not {accelerator.name}"
        expected = f"a type with {accelerator.name}; see `tidegate catalog list`"
        read.refuse(f"instance_types[{index}]", each.name, reason, expected)
        return None
    own = each.accelerators_per_node
    if own is None and given is None:
        reason = f"is not known to the catalog for {each.name}"
        read.refuse("accelerators_per_node", None, reason, "the number that a node offers")
    if own is not None and given is not None and given != own:
        reason = f"is not what a {each.name} has"
        read.refuse("accelerators_per_node", given, reason, str(own))
    return given if own is None else own
