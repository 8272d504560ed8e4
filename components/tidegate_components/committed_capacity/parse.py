"""From the arguments of a reservation to its specification, with every fault reported at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.committed_capacity import args as shapes
from tidegate_components.committed_capacity.spec import Acknowledgement, ReservationSpec
from tidegate_components.hardware import check_offered
from tidegate_components.names import check_identifier

_NOTHING = Acknowledgement(Decimal(0), "USD", date.min)


def parse_reservation(name: str, raw: Mapping[str, Any], catalog: Catalog) -> ReservationSpec:
    """Return the reservation that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"commitment {name}", raw, shapes.CommittedCapacityArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    region, zone = read.text("region"), read.text("zone")
    units = read.whole("units", minimum=1)
    labels = read.cost_labels()
    acknowledged = _acknowledgement(read)
    account = read.text("account", "")
    machine = _machine(read, cloud, catalog)
    attached = _attached(read, machine, catalog) if machine else None
    _refuse_other_clouds(read, cloud)
    if machine and region and zone:
        check_offered(read, "instance_type", machine, (region, (zone,)), catalog)
    if machine is None or read.problems:
        raise InvalidInput(read.problems)
    price = _price(catalog, region, machine, attached)
    _check_amount(read, acknowledged, units, price)
    read.finish()
    return ReservationSpec(
        id=name,
        cloud=cloud,
        region=region,
        account=account,
        zone=zone,
        instance_type=machine,
        units=units,
        acknowledged=acknowledged,
        price=price,
        attached=attached,
        labels=labels,
    )


def _acknowledgement(read: Arguments) -> Acknowledgement:
    nested = read.nested("acknowledge", shapes.AcknowledgementArgs)
    if nested is None:
        reason = "is required: a reservation is paid for whether used or not"
        read.refuse("acknowledge", None, reason, "hourly_amount, currency and end_date")
        return _NOTHING
    amount = nested.decimal("hourly_amount")
    if amount is None and not nested.has("hourly_amount"):
        nested.refuse("hourly_amount", None, "is required and is missing", "an amount an hour")
    currency = nested.text("currency")
    if currency and not re.fullmatch(r"[A-Z]{3}", currency):
        nested.refuse("currency", currency, "is no ISO 4217 code", "three letters such as USD")
    end = nested.text("end_date")
    try:
        end_date = date.fromisoformat(end) if end else date.min
    except ValueError:
        nested.refuse("end_date", end, "is no day", "YYYY-MM-DD")
        end_date = date.min
    return Acknowledgement(amount or Decimal(0), currency, end_date)


def _machine(read: Arguments, cloud: Cloud, catalog: Catalog) -> InstanceType | None:
    name = read.text("instance_type")
    if not name:
        return None
    try:
        return catalog.instance_type(cloud, name)
    except InvalidInput as error:
        read.adopt(error, "instance_type")
        return None


def _attached(
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


def _price(
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


def _check_amount(
    read: Arguments, acknowledged: Acknowledgement, units: int, price: Price | None
) -> None:
    """Refuse an acknowledgement below what the catalog knows the reservation to cost."""
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


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for key, shape in (
        ("gcp", shapes.CommittedCapacityGcpArgs),
        ("azure", shapes.CommittedCapacityAzureArgs),
    ):
        read.nested(key, shape)
        if key != cloud.value and read.has(key):
            reason = f"concerns {key}, and the reservation is in {cloud.value}"
            read.refuse(key, None, reason, "leave it out")
