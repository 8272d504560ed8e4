"""`tidegate catalog`: what accelerated capacity costs, where it is sold, and who says so."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.explain import describe_count, explain_type
from tidegate.catalog.load import load_catalog
from tidegate.catalog.offers import Offer, OfferFilter, OfferList, SortKey, list_offers
from tidegate.cli.catalog_output import (
    explanation_json,
    offer_json,
    print_explanation,
    print_offers,
)
from tidegate.cli.catalog_refresh import refresh
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.problems import refuse

app = typer.Typer(
    help="Prices and offerings of accelerated capacity, by cloud and region.",
    no_args_is_help=True,
    add_completion=False,
)
app.command(
    epilog="Example: tidegate catalog refresh --cloud azure --region eastus --output prices.yaml"
)(refresh)


OverlayOption = Annotated[
    list[Path] | None,
    typer.Option("--overlay", help="A file of your own prices; repeat it to lay several on top."),
]


@app.command("list", epilog="Example: tidegate catalog list --accelerator h100-80gb --sort price")
def list_command(
    cloud: Annotated[Cloud | None, typer.Option(help="Only this cloud.")] = None,
    region: Annotated[
        str, typer.Option(help="Only this region; without it, each type where it is cheapest.")
    ] = "",
    accelerator: Annotated[str, typer.Option(help="Only this chip, such as a100-80gb.")] = "",
    capacity_type: Annotated[
        CapacityType | None, typer.Option(help="Only on-demand or only spot.")
    ] = None,
    max_price: Annotated[str, typer.Option(help="At most this much an hour, in USD.")] = "",
    sort: Annotated[SortKey, typer.Option(help="What to sort by.")] = SortKey.PRICE,
    overlay: OverlayOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """List types with their prices. Unknown prices stand last and are never 0."""
    catalog = load_catalog(overlay)
    wanted = OfferFilter(
        cloud=cloud,
        region=region,
        accelerator=accelerator,
        capacity_type=capacity_type,
        max_price=_parse_amount(max_price) if max_price else None,
    )
    found = list_offers(catalog, wanted, sort)
    if output is OutputFormat.JSON:
        print_json(
            {
                "offers": [offer_json(offer) for offer in found.offers],
                "leftOut": found.left_out,
                "catalogDigest": catalog.digest,
            }
        )
        return
    print_offers(found)


@app.command(epilog="Example: tidegate catalog show a100-80gb")
def show(
    name: Annotated[str, typer.Argument(help="A chip or an instance type.")],
    overlay: OverlayOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Show a chip with every machine that has it, or an instance type in every region."""
    catalog = load_catalog(overlay)
    machines = [found for found in catalog.types.values() if found.name == name]
    if machines:
        wanted = OfferFilter(machines[0].cloud, instance_type=name)
        offers = list_offers(catalog, wanted, SortKey.PRICE).offers
        _print_found(f"{name}: {describe_count(machines[0])}", offers, catalog, output)
        return
    chip = catalog.accelerator(name)
    found = list_offers(catalog, OfferFilter(accelerator=chip.name), SortKey.ACCELERATOR_PRICE)
    memory = f"{chip.memory_gib} GiB" if chip.memory_gib else "memory unknown"
    resource = chip.kubernetes_resource or "no device plugin"
    spelt = f"; also {', '.join(chip.aliases)}" if chip.aliases else ""
    _print_found(
        f"{chip.name}: {chip.vendor} {chip.kind.value}, {memory}, {resource}{spelt}",
        found.offers,
        catalog,
        output,
    )


@app.command(epilog="Example: tidegate catalog explain aws us-east-1 p5.48xlarge")
def explain(
    cloud: Annotated[Cloud, typer.Argument(help="aws, gcp or azure.")],
    region: Annotated[str, typer.Argument(help="The region, as the cloud spells it.")],
    instance_type: Annotated[str, typer.Argument(help="The type, as the cloud spells it.")],
    accelerator: Annotated[str, typer.Option(help="A chip that is attached to it.")] = "",
    count: Annotated[int, typer.Option(min=1, help="How many are attached.")] = 1,
    overlay: OverlayOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Tell where each figure comes from, how old it is and whether it is an assumption."""
    catalog = load_catalog(overlay)
    attached = count if accelerator else 0
    explanation = explain_type(catalog, cloud, region, instance_type, accelerator, attached)
    today = datetime.now(UTC).date()
    if output is OutputFormat.JSON:
        print_json(explanation_json(explanation, today))
    else:
        print_explanation(explanation, today)


def _parse_amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount <= 0:
        raise refuse("tidegate catalog list", "--max-price", text, "is no price", "such as 12.50")
    return amount


def _print_found(
    title: str, offers: tuple[Offer, ...], catalog: Catalog, output: OutputFormat
) -> None:
    if output is OutputFormat.JSON:
        rows = [offer_json(offer) for offer in offers]
        print_json({"title": title, "offers": rows, "catalogDigest": catalog.digest})
        return
    typer.echo(title)
    print_offers(OfferList(offers, 0))
