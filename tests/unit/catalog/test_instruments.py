from __future__ import annotations

from decimal import Decimal

import pytest

from tidegate.catalog.instruments import RateBasis, Scope
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import Cloud


@pytest.mark.parametrize(
    ("cloud", "order"),
    [
        (
            Cloud.AWS,
            [
                "capacity-block",
                "capacity-reservation",
                "reserved-instance",
                "ec2-instance-savings-plan",
                "compute-savings-plan",
            ],
        ),
        (Cloud.GCP, ["capacity-reservation", "resource-cud", "flexible-cud"]),
        (Cloud.AZURE, ["capacity-reservation", "azure-reservation", "azure-savings-plan"]),
    ],
)
def test_instruments_stand_in_their_clouds_order_of_application(cloud, order):
    found = [each.name for each in load_catalog().instruments if each.cloud is cloud]
    assert found == order


def test_averages_and_third_parties_are_assumed_and_nothing_else_is_offered():
    catalog = load_catalog()
    offers = [offer for cloud in Cloud for offer in catalog.instrument_offers(cloud)]
    assert {offer.assumed for offer in offers} == {True}
    assert {offer.instrument.rates for offer in offers} == {RateBasis.AVERAGE, RateBasis.PUBLISHED}
    assert "azure-savings-plan" not in {offer.instrument.name for offer in offers}


def test_offers_have_the_payment_options_that_their_cloud_has():
    catalog = load_catalog()
    found = {
        (offer.term_months, offer.upfront_share): offer.discount
        for offer in catalog.instrument_offers(Cloud.AWS)
        if offer.instrument.name == "compute-savings-plan"
    }
    assert found == {
        (12, Decimal("0.0")): Decimal("0.32"),
        (12, Decimal("1.0")): Decimal("0.36"),
        (36, Decimal("0.0")): Decimal("0.48"),
        (36, Decimal("0.5")): Decimal("0.55"),
        (36, Decimal("1.0")): Decimal("0.60"),
    }
    google = {offer.upfront_share for offer in catalog.instrument_offers(Cloud.GCP)}
    assert google == {Decimal(0)}


def test_flexible_committed_use_covers_no_accelerators():
    flexible = {each.name: each for each in load_catalog().instruments}["flexible-cud"]
    assert (flexible.scope, flexible.accelerators) == (Scope.CLOUD, False)


def test_every_instrument_says_what_cannot_be_undone_and_who_says_so():
    for each in load_catalog().instruments:
        assert all((each.flexibility, each.exchange, each.cancellation, each.source))
