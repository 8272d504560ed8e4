"""Which machines a commitment is for, and what the catalog says they cost."""

from __future__ import annotations

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.commitments.spec import Acknowledgement


def find_machine(read: Arguments, cloud: Cloud, catalog: Catalog) -> InstanceType | None:
    """Return the machine of the argument `instance_type`; None when it is refused."""
    name = read.text("instance_type")
    if not name:
        return None
    try:
        return catalog.instance_type(cloud, name)
    except InvalidInput as error:
        read.adopt(error, "instance_type")
        return None


def find_attached(
    read: Arguments, machine: InstanceType, catalog: Catalog
) -> tuple[Accelerator, int] | None:
    """Return what is attached to a plain machine; a type with its own accelerators takes none."""
    name = read.text("accelerator", "")
    count = read.optional_whole("accelerators_per_node", minimum=1)
    if not name:
        return None
    try:
        accelerator = catalog.accelerator(name)
    except InvalidInput as error:
        read.adopt(error, "accelerator")
        return None
    if machine.accelerator == accelerator.name:
        return None
    allowed = machine.attachable.get(accelerator.name, ())
    if count is None or count not in allowed:
        reason = f"cannot be attached to {machine.name}"
        expected = f"one of {', '.join(map(str, allowed))}" if allowed else "another machine type"
        read.refuse("accelerators_per_node", count, reason, expected)
        return None
    return accelerator, count


def find_chips(
    machine: InstanceType, attached: tuple[Accelerator, int] | None, catalog: Catalog
) -> tuple[str, int] | None:
    """Return Compute Engine's type and number of a machine's accelerators; None without any."""
    if attached:
        return attached[0].gke_type, attached[1]
    if not machine.accelerator or not machine.accelerators_per_node:
        return None
    own = machine.provider_accelerator or catalog.accelerator(machine.accelerator).gke_type
    return own, machine.accelerators_per_node


def find_price(
    catalog: Catalog,
    region: str,
    machine: InstanceType,
    attached: tuple[Accelerator, int] | None,
) -> Price | None:
    """Return what a reserved machine costs an hour: the on-demand price, used or not."""
    accelerator, count = (attached[0].name, attached[1]) if attached else ("", 0)
    price = catalog.price(
        machine.cloud, region, machine.name, CapacityType.ON_DEMAND, accelerator, count
    )
    return price if isinstance(price, Price) else None


def check_amount(
    read: Arguments, acknowledged: Acknowledgement, units: int, price: Price | None
) -> None:
    """Refuse an acknowledgement below what the catalog knows the machines to cost."""
    if price is None:
        return
    key = "acknowledge.hourly_amount"
    cost = price.per_hour * units
    if acknowledged.currency != cost.currency:
        reason = f"is not the currency of the price, {cost.currency}"
        read.refuse("acknowledge.currency", acknowledged.currency, reason, cost.currency)
    elif acknowledged.hourly_amount < cost.amount:
        reason = f"is less than what {units} reserved machines cost ({price.origin})"
        read.refuse(key, acknowledged.hourly_amount, reason, f"at least {cost.amount}")
