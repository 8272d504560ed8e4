"""How `tidegate catalog` prints: tables for people, JSON for programs."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import typer
from rich.table import Table

from tidegate.catalog.explain import Explanation
from tidegate.catalog.model import UnknownPrice
from tidegate.catalog.offers import Offer, OfferList
from tidegate.cli.output import build_console
from tidegate.vocabulary.money import Price


def print_offers(found: OfferList) -> None:
    """Print offers as a table, with what its marks mean."""
    table = Table()
    for name in ("cloud", "region", "type", "accelerators", "bought"):
        table.add_column(name, overflow="fold")
    for name in ("an hour", "a chip and hour"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("sold there", overflow="fold")
    for offer in found.offers:
        machine = offer.instance_type
        table.add_row(
            machine.cloud.value,
            offer.region or "-",
            machine.name,
            _short_count(offer),
            offer.capacity_type.value,
            _price_text(offer.price),
            _amount_text(offer.amount_per_accelerator),
            offer.availability.value,
        )
    console = build_console()
    console.print(table)
    marks = [offer.price for offer in found.offers if isinstance(offer.price, Price)]
    if any(price.assumed for price in marks):
        console.print("~ assumed: a ratio or an average, not a quote", highlight=False)
    if any(price.negotiated for price in marks):
        console.print("* negotiated: from your overlay", highlight=False)
    if found.left_out:
        console.print(f"{found.left_out} offers without a comparable price are left out")


def _short_count(offer: Offer) -> str:
    machine = offer.machine
    if not machine.accelerator:
        return "attachable" if machine.instance_type.attachable else "-"
    if machine.instance_type.sliced:
        return f"{machine.instance_type.share or 'slice'} {machine.accelerator}"
    count = "?" if machine.count is None else str(machine.count)
    return f"{count} x {machine.accelerator}" + (" attached" if machine.attached else "")


def _price_text(price: Price | UnknownPrice) -> str:
    if isinstance(price, UnknownPrice):
        return "unknown"
    mark = ("~" if price.assumed else "") + ("*" if price.negotiated else "")
    return f"{mark}{_amount_text(price.per_hour.amount)} {price.per_hour.currency}"


def _amount_text(amount: Decimal | None) -> str:
    return "-" if amount is None else f"{amount:,.4f}"


def print_explanation(found: Explanation, today: date) -> None:
    """Print where each figure comes from."""
    machine = found.instance_type
    size = f"{machine.vcpus or 'unknown'} vCPUs, {machine.memory_gib or 'unknown'} GiB memory"
    lines = [
        f"{machine.cloud.value} {machine.name} in {found.region}",
        f"size          {size}{', ' + machine.arch if machine.arch else ''}",
        f"accelerators  {found.accelerator_note}",
        f"availability  {found.availability.availability.value}: {found.availability.evidence}",
    ]
    if found.availability.zones:
        lines.append(f"zones         {', '.join(found.availability.zones)}")
    lines += [
        f"{fact.capacity_type.value:<13} {_explain_price(fact.price, today)}"
        for fact in found.prices
    ]
    lines.append(f"catalog       {found.digest}")
    for line in lines:
        typer.echo(line)


def _explain_price(price: Price | UnknownPrice, today: date) -> str:
    if isinstance(price, UnknownPrice):
        return f"unknown: {price.reason}"
    nature = "assumed" if price.assumed else "negotiated" if price.negotiated else "quoted"
    age = (today - price.as_of).days
    amount = f"{price.per_hour.amount:,f} {price.per_hour.currency} an hour"
    return f"{amount}, {nature}, {price.as_of} ({age} days old): {price.origin}"


def offer_json(offer: Offer) -> dict[str, Any]:
    """Return an offer as JSON."""
    machine = offer.instance_type
    return {
        "cloud": machine.cloud.value,
        "region": offer.region,
        "instanceType": machine.name,
        "accelerator": offer.machine.accelerator,
        "acceleratorsPerNode": offer.machine.count,
        "attached": offer.machine.attached,
        "sliced": machine.sliced,
        "share": machine.share,
        "capacityType": offer.capacity_type.value,
        "price": _price_json(offer.price),
        "availability": offer.availability.value,
    }


def _price_json(price: Price | UnknownPrice) -> dict[str, Any]:
    if isinstance(price, UnknownPrice):
        return {"known": False, "reason": price.reason}
    return {
        "known": True,
        "perHour": f"{price.per_hour.amount:f}",
        "currency": price.per_hour.currency,
        "asOf": price.as_of.isoformat(),
        "origin": price.origin,
        "assumed": price.assumed,
        "negotiated": price.negotiated,
    }


def explanation_json(found: Explanation, today: date) -> dict[str, Any]:
    """Return an explanation as JSON."""
    machine = found.instance_type
    prices = []
    for fact in found.prices:
        age = (today - fact.as_of).days if fact.as_of else None
        entry = {"capacityType": fact.capacity_type.value, "ageDays": age}
        prices.append(entry | _price_json(fact.price))
    return {
        "cloud": machine.cloud.value,
        "region": found.region,
        "instanceType": machine.name,
        "vcpus": machine.vcpus,
        "memoryGib": str(machine.memory_gib) if machine.memory_gib else None,
        "arch": machine.arch,
        "accelerator": machine.accelerator,
        "acceleratorsPerNode": machine.accelerators_per_node,
        "accelerators": found.accelerator_note,
        "availability": {
            "availability": found.availability.availability.value,
            "zones": list(found.availability.zones),
            "evidence": found.availability.evidence,
        },
        "prices": prices,
        "catalogDigest": found.digest,
    }
