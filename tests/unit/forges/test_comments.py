"""One comment over many runs, whoever else writes, and whatever fails on the way."""

from __future__ import annotations

import pytest
from support.forge import SOMEBODY, Reply

from tidegate.forges.api import ForgeRefused, ForgeUnreachable
from tidegate.forges.comments import Action, apply_comment

MARKER = "<!-- tidegate-check: vision/prod -->"


def body(text):
    return f"{MARKER}\n{text}\n"


def texts(forge):
    return [each["body"] for each in forge.comments]


@pytest.fixture(params=["thread", "gitlab_thread"])
def any_thread(request, forge):
    if request.param == "gitlab_thread":
        forge.user = {**SOMEBODY, "id": 99, "login": "project_42_bot"}
    return request.getfixturevalue(request.param)


def test_three_runs_leave_one_comment_that_says_the_last(any_thread, forge):
    forge.write("a human says something", SOMEBODY)
    done = [apply_comment(any_thread, MARKER, body(text)).action for text in ("1", "2", "3")]
    assert done == [Action.CREATED, Action.UPDATED, Action.UPDATED]
    assert texts(forge) == ["a human says something", body("3")]


def test_a_comment_that_says_it_already_is_left_alone(any_thread, forge):
    forge.write(body("same").replace("\n", "\r\n"))
    assert apply_comment(any_thread, MARKER, body("same")).action is Action.UNCHANGED
    assert not forge.asked("PATCH") + forge.asked("PUT") + forge.asked("POST")


def test_it_is_found_behind_many_pages(any_thread, forge):
    forge.page_size = 3
    for number in range(10):
        forge.write(f"comment {number}", SOMEBODY)
    forge.write(body("old"))
    assert apply_comment(any_thread, MARKER, body("new")).action is Action.UPDATED
    assert len(forge.comments) == 11


def test_of_two_comments_of_two_runs_at_once_the_oldest_stays(any_thread, forge):
    forge.write(body("one"))
    forge.write(body("two"))
    apply_comment(any_thread, MARKER, body("three"))
    assert texts(forge) == [body("three")]


def test_a_strangers_comment_with_the_marker_is_never_touched(any_thread, forge):
    stranger = {**SOMEBODY, "id": 666, "login": "mallory"}
    forge.write(body("theirs"), stranger)
    assert apply_comment(any_thread, MARKER, body("ours")).action is Action.CREATED
    assert texts(forge) == [body("theirs"), body("ours")]


def test_a_marker_in_the_middle_and_another_stacks_marker_are_no_match(any_thread, forge):
    forge.write(f"> {MARKER}")
    forge.write("<!-- tidegate-check: vision/dev -->\nother")
    assert apply_comment(any_thread, MARKER, body("new")).action is Action.CREATED
    assert len(forge.comments) == 3


@pytest.mark.parametrize("status", [502, 0])
def test_a_comment_whose_answer_was_lost_is_not_written_twice(thread, forge, status):
    forge.failures = [("POST", Reply(status, does_it=True))]
    assert apply_comment(thread, MARKER, body("once")).action is Action.UNCHANGED
    assert texts(forge) == [body("once")]


def test_a_comment_that_was_truly_not_written_is_written_again(thread, forge):
    forge.failures = [("POST", Reply(502)), ("POST", Reply(0))]
    assert apply_comment(thread, MARKER, body("once")).action is Action.CREATED
    assert texts(forge) == [body("once")]


def test_it_gives_up_where_nothing_is_ever_written(thread, forge):
    forge.failures = [("POST", Reply(500)) for _ in range(9)]
    with pytest.raises(ForgeUnreachable, match="answered 500"):
        apply_comment(thread, MARKER, body("never"))
    assert len(forge.asked("POST")) == 3


def test_without_permission_it_is_refused_at_once(thread, forge):
    forge.may_write = False
    with pytest.raises(ForgeRefused, match="Resource not accessible by integration"):
        apply_comment(thread, MARKER, body("x"))
    assert len(forge.asked("POST")) == 1


def test_a_person_token_changes_only_its_own_comments(thread, forge):
    forge.write(body("of a bot"))
    forge.user = SOMEBODY
    forge.write(body("mine"))
    apply_comment(thread, MARKER, body("new"))
    assert texts(forge) == [body("of a bot"), body("new")]


def test_what_is_created_tells_where_people_read_it(thread):
    comment = apply_comment(thread, MARKER, body("x")).comment
    assert comment.url == "https://github.com/acme/vision/pull/7#issuecomment-1001"


def test_a_comment_longer_than_the_forge_takes_is_refused_with_its_reason(thread):
    with pytest.raises(ForgeRefused, match=r"answered 422 .*: Validation Failed"):
        apply_comment(thread, MARKER, body("x" * 70_000))
