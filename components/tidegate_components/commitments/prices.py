"""What the machines of a commitment cost, as far as the catalog knows."""

from __future__ import annotations

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.money import Price
from tidegate_components.arguments import Arguments
from tidegate_components.commitments.spec import Acknowledgement


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
