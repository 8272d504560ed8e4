"""What notebooks cost: between nothing and the whole month, by how they stop."""

from __future__ import annotations

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.manifest.model import Notebook
from tidegate.pricing.figures import NOTHING, Figures
from tidegate.pricing.lines import CostLine, LineKind
from tidegate.pricing.nodes import DEFAULT_CURRENCY, describe_price, price_of
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.money import HOURS_PER_MONTH

AROUND_THE_CLOCK = "no hours of use are declared, so it is counted around the clock"


def price_notebook(notebook: Notebook, catalog: Catalog) -> CostLine:
    """Return the cost of a notebook; at minimum nothing where it stops when idle."""
    price = price_of(
        catalog, notebook.cloud, notebook.region, notebook.instance_type, CapacityType.ON_DEMAND
    )
    unknown = (price.reason,) if isinstance(price, UnknownPrice) else ()
    month = None if isinstance(price, UnknownPrice) else price.per_hour.amount * HOURS_PER_MONTH
    stops = notebook.idle_shutdown_seconds is not None
    what = f"{notebook.instance_type} on-demand in {notebook.region}"
    return CostLine(
        kind=LineKind.NOTEBOOK,
        id=notebook.id,
        cloud=notebook.cloud,
        region=notebook.region,
        capacity_type=CapacityType.ON_DEMAND,
        currency=DEFAULT_CURRENCY if isinstance(price, UnknownPrice) else price.per_hour.currency,
        monthly=Figures(NOTHING if stops else month, month, month, month),
        prices=() if isinstance(price, UnknownPrice) else (describe_price(what, price),),
        unknown=unknown,
        notes=(AROUND_THE_CLOCK,),
    )
