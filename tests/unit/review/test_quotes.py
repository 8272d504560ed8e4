from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.review.quotes import parse_quotes, prefer_quotes
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput

CATALOG = load_catalog()
QUOTE = {
    "cloud": "aws",
    "instrument": "compute-savings-plan",
    "termMonths": 12,
    "discount": "0.27",
    "asOf": "2026-11-20",
    "origin": "offer Q-1",
}


def parse(**change):
    return parse_quotes("q.yaml", {"quotes": [{**QUOTE, **change}]}, CATALOG.instruments)


def test_a_quote_is_no_assumption_and_replaces_the_average():
    (quote,) = parse()
    assert (quote.discount, quote.as_of, quote.assumed) == (
        Decimal("0.27"),
        date(2026, 11, 20),
        False,
    )
    averages = CATALOG.instrument_offers(Cloud.AWS)
    offers = prefer_quotes(averages, [quote])
    assert len(offers) == len(averages)
    assert [each for each in offers if not each.assumed] == [quote]


def test_an_instrument_without_an_average_can_be_quoted():
    (quote,) = parse(cloud="azure", instrument="azure-savings-plan")
    assert quote in prefer_quotes(CATALOG.instrument_offers(Cloud.AZURE), [quote])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"instrument": "compute-saving-plan"}, "did you mean 'compute-savings-plan'"),
        ({"termMonths": 24}, "is no term of Compute Savings Plan"),
        ({"upfrontShare": "0.3"}, "is no payment option"),
        ({"instrument": "capacity-reservation"}, "has no term and no discount"),
        ({"discount": "1.2"}, r"quotes\[0\]\.discount"),
        ({"origin": ""}, r"quotes\[0\]\.origin"),
    ],
)
def test_quotes_that_no_cloud_gives_are_refused(change, reason):
    with pytest.raises(InvalidInput, match=reason):
        parse(**change)
