from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.policy.baseline import (
    VERSION,
    Known,
    build_baseline,
    dump_baseline,
    parse_baseline,
)
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

FAILURE = Verdict("TG-LBL-001", "urn:a", Outcome.FAIL, Severity.HIGH, Level.MANDATORY, "m", "tags")
VERDICTS = st.lists(
    st.builds(
        lambda rule, urn, outcome: replace(FAILURE, rule=rule, urn=urn, outcome=outcome),
        st.sampled_from(["TG-LBL-001", "TG-SCL-001"]),
        st.sampled_from(["urn:a", "urn:b"]),
        st.sampled_from(list(Outcome)),
    )
)


def test_what_was_there_is_known_in_other_words_too_and_what_is_new_is_not():
    baseline = build_baseline([FAILURE])
    reworded = replace(FAILURE, message="other words", found="other=value")
    renamed = replace(FAILURE, urn="urn:b")
    known, gone = baseline.split([renamed, reworded])
    assert known == {1}
    assert gone == ()


def test_a_second_failure_at_the_same_place_is_new():
    known, _ = build_baseline([FAILURE]).split([FAILURE, FAILURE])
    assert known == {0}


def test_an_unknown_that_turned_into_a_failure_is_new():
    known, gone = build_baseline([replace(FAILURE, outcome=Outcome.UNKNOWN)]).split([FAILURE])
    assert known == frozenset()
    assert gone == (Known("TG-LBL-001", "urn:a", "tags", "unknown"),)


@given(VERDICTS)
def test_everything_that_fails_is_known_to_the_baseline_that_it_makes(verdicts):
    written = dump_baseline(build_baseline(verdicts))
    known, gone = parse_baseline("b", written).split(verdicts)
    failing = {
        index
        for index, verdict in enumerate(verdicts)
        if verdict.outcome in (Outcome.FAIL, Outcome.UNKNOWN)
    }
    assert known == failing
    assert gone == ()


ENTRY = {"rule": "r", "urn": "u", "property": "p", "outcome": "fail", "count": 1}


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        {"version": "tidegate/baseline/v9", "known": []},
        {"version": VERSION},
        {"version": VERSION, "known": [{}]},
        {"version": VERSION, "known": [{**ENTRY, "count": 0}]},
        {"version": VERSION, "known": [{**ENTRY, "count": True}]},
        {"version": VERSION, "known": [{**ENTRY, "rule": 1}]},
        {"version": VERSION, "known": [{**ENTRY, "more": 1}]},
    ],
)
def test_another_document_is_refused(document):
    with pytest.raises(InvalidInput, match=r"^b: "):
        parse_baseline("b", document)
