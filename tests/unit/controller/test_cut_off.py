"""What was ordered and never heard of again, as it is remembered."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from support.controller import NOW

from tidegate.controller.cut_off import recall_cut_off
from tidegate.vocabulary.records import DecisionRecord, NodeRecord, Outcome, TickRecord

LAST = TickRecord(NOW, 1, "one", "0", "train", 0)
ORDER = DecisionRecord(NOW + timedelta(seconds=15), "train", "grow", "work", 1, 3, id=7)
THERE = NodeRecord("train-0", "train", "busy", NOW)


def recall(*decisions, last=LAST, nodes=(THERE,)):
    return [each.id for each in recall_cut_off(decisions, last, nodes)]


def test_nodes_of_an_order_that_was_cut_off_are_awaited_behind_those_that_were():
    awaited = NodeRecord("train#in-flight-0", "train", "in-flight", NOW)

    found = recall_cut_off([ORDER], LAST, [THERE, awaited])

    assert found == [
        THERE,
        awaited,
        NodeRecord("train#in-flight-1", "train", "in-flight", ORDER.at),
        NodeRecord("train#in-flight-2", "train", "in-flight", ORDER.at),
    ]


def test_before_the_first_turn_was_written_down_it_is_too():
    assert recall(ORDER, last=None, nodes=()) == ["train#in-flight-0", "train#in-flight-1"]


@pytest.mark.parametrize(
    "decisions",
    [
        [replace(ORDER, outcome=Outcome.APPLIED)],
        [replace(ORDER, outcome=Outcome.REFUSED)],
        [replace(ORDER, action="shrink", from_nodes=3, to_nodes=1)],
        [replace(ORDER, at=NOW)],
        [replace(ORDER, id=8, outcome=Outcome.REFUSED), ORDER],
        [replace(ORDER, action="hold", from_nodes=None, to_nodes=None)],
    ],
    ids=["applied", "refused", "shrink", "written-down", "followed-by-another", "no-size"],
)
def test_what_was_heard_of_or_buys_nothing_is_not(decisions):
    assert recall(*decisions) == ["train-0"]
