from __future__ import annotations

from decimal import Decimal

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.policy.costs import price_machines
from tidegate.policy.facts.reading import absent, hidden, known
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


def google(catalog, name, attached):
    machines = {
        "types": known([name], "t"),
        "capacity": known("on-demand", "c"),
        "attached": attached,
    }
    place = known("us-central1", "region")
    price_machines(Cloud.GCP, {"machines": [machines], "region": place}, catalog)
    return machines["price"], machines.get("unpriced", "")


def kinds(*pairs):
    return known([{"type": type_, "count": count} for type_, count in pairs], "g")


def test_a_machine_costs_what_is_attached_to_it_as_well(catalog):
    bare, _ = google(catalog, "n1-standard-8", absent("g"))
    both, said = google(catalog, "n1-standard-8", kinds(("nvidia-tesla-t4", 2)))
    listed = catalog.price("gcp", "us-central1", "n1-standard-8", "on-demand", "t4", 2)
    assert Decimal(both["amount"]) == listed.per_hour.amount > Decimal(bare["amount"])
    assert (both["assumed"], bare["assumed"], said) == (True, False, "")


@pytest.mark.parametrize(
    ("name", "attached", "said"),
    [
        ("n1-standard-8", hidden("g"), "attached to n1-standard-8 are not known yet"),
        ("n1-standard-8", kinds(("t4", 1), ("p4", 1)), "several kinds"),
        ("n1-standard-8", kinds(("t4", 3)), "cannot be attached to n1-standard-8"),
        ("n1-standard-8", kinds(("nvidia-tesla-t4-vws", 1)), "is not an accelerator"),
        ("n2-standard-8", kinds(("t4", 1)), "cannot be attached to n2-standard-8"),
        ("n9-mega", absent("g"), "is not in the catalog"),
    ],
)
def test_what_is_attached_without_a_price_says_why(catalog, name, attached, said):
    price, reason = google(catalog, name, attached)
    assert price is None
    assert said in reason


def test_what_is_built_in_is_in_the_machines_own_price(catalog):
    bare, _ = google(catalog, "g2-standard-4", absent("g"))
    assert google(catalog, "g2-standard-4", kinds(("nvidia-l4", 1)))[0] == bare is not None
    assert google(catalog, "g2-standard-4", hidden("g"))[0] == bare
