"""From arguments to a commitment's specification; faults are noted with the reader's others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels
from tidegate_components.arguments import Arguments
from tidegate_components.commitments.kinds import CUD_TYPES, RULES, CommitmentKind
from tidegate_components.commitments.prices import check_amount, find_price
from tidegate_components.commitments.purchase import (
    check_terms,
    read_acknowledgement,
    read_purchase,
)
from tidegate_components.commitments.spec import CommitmentSpec, Purchase
from tidegate_components.hardware import (
    check_offered,
    find_attached,
    find_chips,
    find_machine,
)

MACHINE_KEYS = ("instance_type", "accelerator", "accelerators_per_node", "units")


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose commitment it is, as the component around it says."""

    id: str
    cloud: Cloud
    region: str
    account: str
    labels: CostLabels


def read_commitment(read: Arguments, owner: Owner, catalog: Catalog) -> CommitmentSpec | None:
    """Return the commitment that the arguments declare; None when it is refused.

    `read` reads an object with the keys kind, zone, instance_type, accelerator,
    accelerators_per_node, units, acknowledge and purchase.
    """
    before = len(read.problems)
    kind = read.choice("kind", CommitmentKind, CommitmentKind.CAPACITY_RESERVATION)
    rule = RULES[kind]
    if owner.cloud not in rule.clouds:
        names = ", ".join(cloud.value for cloud in rule.clouds)
        read.refuse("kind", kind.value, f"does not exist on {owner.cloud.value}", f"on {names}")
        return None
    zone = read.text("zone") if rule.zonal else read.text("zone", "")
    units = read.whole("units", minimum=1) if rule.machines else None
    agreed = read_acknowledgement(read, kind)
    bought = read_purchase(read, kind, owner.cloud)
    machine = find_machine(read, owner.cloud, catalog) if rule.machines else None
    attached = find_attached(read, machine, catalog) if machine else None
    _refuse_unused(read, kind, zone)
    if machine and zone and owner.region:
        check_offered(read, "instance_type", machine, (owner.region, (zone,)), catalog)
    check_terms(read, kind, owner.cloud, agreed, bought)
    if kind is CommitmentKind.RESOURCE_CUD and machine:
        bought = _check_resources(read, machine, attached, bought)
    if len(read.problems) > before:
        return None
    # A reserved machine costs its on-demand price, a block and a term have prices of their own.
    listed = kind in (CommitmentKind.CAPACITY_RESERVATION, CommitmentKind.FUTURE_RESERVATION)
    price = find_price(catalog, owner.region, machine, attached) if machine and listed else None
    check_amount(read, agreed, units or 0, price)
    if len(read.problems) > before:
        return None
    return CommitmentSpec(
        id=owner.id,
        cloud=owner.cloud,
        kind=kind,
        region=owner.region,
        account=owner.account,
        zone=zone,
        instance_type=machine,
        units=units,
        acknowledged=agreed,
        price=price,
        attached=attached,
        labels=owner.labels,
        purchase=bought,
        chips=find_chips(machine, attached, catalog) if machine else None,
    )


def _refuse_unused(read: Arguments, kind: CommitmentKind, zone: str) -> None:
    """Refuse machines where money is committed, and a zone where there is none."""
    if not RULES[kind].machines:
        for key in MACHINE_KEYS:
            if read.has(key):
                reason = f"concerns no {kind.value}, which commits an amount of money"
                read.refuse(key, None, reason, "leave it out")
    if zone and not RULES[kind].zonal:
        read.refuse("zone", zone, f"concerns no {kind.value}, which has none", "leave it out")


def _check_resources(
    read: Arguments,
    machine: InstanceType,
    attached: tuple[Accelerator, int] | None,
    bought: Purchase,
) -> Purchase:
    """Return the purchase with its commitment type; refuse accelerators without reservations."""
    family = machine.name.partition("-")[0]
    if machine.vcpus is None or machine.memory_gib is None:
        reason = "has cores or memory that the catalog does not know, and those are what is sold"
        read.refuse("instance_type", machine.name, reason, "another machine, or an overlay")
    if (machine.accelerator or attached) and not bought.existing_reservations:
        reason = (
            "is needed: Compute Engine sells a commitment of accelerators only with the "
            "reservations that hold them"
        )
        read.refuse("purchase.existing_reservations", None, reason, "their names")
    if bought.commitment_type:
        return bought
    if family not in CUD_TYPES:
        reason = f"is needed: the family {family} of {machine.name} does not decide it"
        read.refuse("purchase.commitment_type", None, reason, "Compute Engine's commitment type")
    return replace(bought, commitment_type=CUD_TYPES.get(family, ""))
