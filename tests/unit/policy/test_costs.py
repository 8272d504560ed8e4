from __future__ import annotations

from decimal import Decimal

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.policy.costs import price_machines
from tidegate.policy.facts.reading import hidden, known
from tidegate.vocabulary.capacity import Cloud


@pytest.fixture(scope="module")
def catalog():
    return load_catalog()


def price(catalog, types, capacity="on-demand", region="us-east-1"):
    machines = {"types": known(types, "t"), "capacity": known(capacity, "c")}
    price_machines(Cloud.AWS, {"machines": [machines], "region": known(region, "region")}, catalog)
    return machines["price"]


def test_the_dearest_type_is_what_a_set_of_machines_may_cost(catalog):
    cheap, dear = price(catalog, ["c6i.xlarge"]), price(catalog, ["dl1.24xlarge"])
    both = price(catalog, ["c6i.xlarge", "dl1.24xlarge"])
    assert both == dear != cheap
    listed = catalog.price("aws", "us-east-1", "dl1.24xlarge", "on-demand")
    assert Decimal(dear["amount"]) == listed.per_hour.amount
    assert dear["currency"] == "USD"


def test_a_mix_counts_as_on_demand(catalog):
    assert price(catalog, ["p5.48xlarge"], "mixed") == price(catalog, ["p5.48xlarge"])
    assert price(catalog, ["p5.48xlarge"], "spot") != price(catalog, ["p5.48xlarge"])


def test_what_is_not_known_has_no_price(catalog):
    assert price(catalog, ["no-such.type"]) is None
    assert price(catalog, ["c6i.xlarge", "no-such.type"]) is None
    assert price(catalog, ["c6i.xlarge"], region="mars-1") is None
    assert price(catalog, ["c6i.xlarge"], "reserved") is None
    assert price(None, ["c6i.xlarge"]) is None
    machines = {"types": hidden("t"), "capacity": known("spot", "c")}
    price_machines(Cloud.AWS, {"machines": [machines]}, catalog)
    assert machines["price"] is None


def test_what_starts_no_machines_is_left_alone(catalog):
    facts = {"region": known("us-east-1", "region")}
    price_machines(Cloud.AWS, facts, catalog)
    assert facts == {"region": known("us-east-1", "region")}
