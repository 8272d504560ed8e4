from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.policy.waivers import (
    Waiver,
    WaiverReview,
    dump_waiver,
    find_waiver,
    parse_waivers,
    review_waivers,
)
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

RULES = RuleSet(
    (Rule("TG-LBL-001", "labels/cost", "t", "d", Severity.HIGH, Level.MANDATORY, "r", "docs"),)
)
TODAY = date(2026, 11, 30)
URN = "urn:pulumi:prod::vision::aws:s3/bucket:Bucket::legacy"
WAIVER = Waiver("TG-LBL-001", URN, "ml-platform", "moves in Q1", date(2027, 1, 31))
FAILURE = Verdict("TG-LBL-001", URN, Outcome.FAIL, Severity.HIGH, Level.MANDATORY, "m")


def entry(**others):
    return {**dump_waiver(WAIVER), **others}


def test_a_document_gives_its_waivers():
    assert parse_waivers("waivers.yaml", {"waivers": [entry()]}, RULES) == (WAIVER,)


@pytest.mark.parametrize("document", [None, {"waivers": None}, {"waivers": []}])
def test_an_empty_document_waives_nothing(document):
    assert parse_waivers("waivers.yaml", document, RULES) == ()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "is no list of waivers"),
        ({"waiver": []}, "is no list of waivers"),
        ({"waivers": {}}, "is no list of waivers"),
        ({"waivers": ["x"]}, r"waivers\[0\]: is no waiver"),
        ({"waivers": [entry(owner="")]}, r"waivers\[0\]\.owner: is missing"),
        ({"waivers": [entry(reason=None)]}, r"waivers\[0\]\.reason: is missing"),
        ({"waivers": [entry(expires="soon")]}, r"waivers\[0\]\.expires = soon: is no day"),
        ({"waivers": [entry(expires=None)]}, r"waivers\[0\]\.expires: is no day"),
        ({"waivers": [entry(expire=1)]}, r"is not known .did you mean 'expires'"),
        ({"waivers": [entry(rule="TG-LBL-01")]}, r"is no rule .did you mean 'TG-LBL-001'"),
        ({"waivers": [entry(urn="legacy")]}, "is no URN: names are matched whole"),
        ({"waivers": [entry(urn="urn:pulumi:*")]}, "would waive the rule everywhere"),
        ({"waivers": [entry(urn="urn:pulumi:*::*::*")]}, "would waive the rule everywhere"),
        ({"waivers": [entry(), entry()]}, r"waivers\[1\]: stands there twice"),
    ],
)
def test_what_would_waive_nothing_or_everything_is_refused(document, said):
    with pytest.raises(InvalidInput, match=said):
        parse_waivers("waivers.yaml", document, RULES)


@pytest.mark.parametrize(
    ("pattern", "urn", "covered"),
    [
        ("urn:pulumi:p::v::Route::a", "urn:pulumi:p::v::Route::a", True),
        ("urn:pulumi:p::v::Route::a", "urn:pulumi:p::v::Route::ab", False),
        # cfn-guard PR#285: a pattern that is not anchored also exempts RouteTable
        ("urn:pulumi:p::v::Route::*", "urn:pulumi:p::v::RouteTable::a", False),
        ("urn:pulumi:*::v::Route::a", "urn:pulumi:prod::v::Route::a", True),
        ("urn:pulumi:p::v::Route::a?", "urn:pulumi:p::v::Route::a1", True),
        ("urn:pulumi:p::v::Route::a?", "urn:pulumi:p::v::Route::a", False),
        ("urn:pulumi:p::v::R.ute::*", "urn:pulumi:p::v::Route::a", False),
        ("urn:pulumi:p::v::R::x[1]*", "urn:pulumi:p::v::R::x[1]y", True),
    ],
)
def test_a_pattern_covers_whole_urns_alone(pattern, urn, covered):
    assert replace(WAIVER, urn=pattern).covers(urn) is covered


@given(st.text(st.characters(exclude_characters="*?"), max_size=20), st.text(max_size=20))
def test_a_name_without_wildcards_covers_itself_and_nothing_else(name, other):
    waiver = replace(WAIVER, urn=f"{URN}{name}")
    assert waiver.covers(f"{URN}{name}")
    assert waiver.covers(f"{URN}{other}") is (name == other)


def test_the_waiver_that_lasts_longest_is_the_one_that_waives():
    longer = replace(WAIVER, expires=date(2027, 6, 30))
    assert find_waiver(FAILURE, (WAIVER, longer), TODAY) is longer


@pytest.mark.parametrize(
    ("verdict", "waiver"),
    [
        (replace(FAILURE, rule="TG-SCL-001"), WAIVER),
        (replace(FAILURE, urn=f"{URN}-2"), WAIVER),
        (replace(FAILURE, urn=""), WAIVER),
        (replace(FAILURE, outcome=Outcome.PASS), WAIVER),
        (FAILURE, replace(WAIVER, expires=date(2026, 11, 29))),
    ],
)
def test_nothing_else_is_waived(verdict, waiver):
    assert find_waiver(verdict, (waiver,), TODAY) is None


def test_a_waiver_holds_on_its_last_day():
    assert find_waiver(FAILURE, (replace(WAIVER, expires=TODAY),), TODAY) is not None
    assert replace(WAIVER, expires=TODAY).days_left(TODAY) == 0


def test_what_became_of_each_waiver_is_said_for_the_stacks_that_were_judged():
    expired = replace(WAIVER, expires=date(2026, 1, 1))
    unused = replace(WAIVER, urn=f"{URN}-fine")
    nothing = replace(WAIVER, urn=f"{URN}-gone*")
    elsewhere = replace(WAIVER, urn="urn:pulumi:dev::vision::aws:s3/bucket:Bucket::b")
    anywhere = replace(WAIVER, urn="urn:pulumi:p*::vision::aws:s3/bucket:Bucket::none")
    waivers = (WAIVER, expired, unused, nothing, elsewhere, anywhere)
    assert review_waivers(waivers, [WAIVER], [URN, f"{URN}-fine"], TODAY) == WaiverReview(
        expired=(expired,), unused=(unused,), for_nothing=(nothing, anywhere)
    )
