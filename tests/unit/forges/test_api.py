"""Patience where it helps, and a token that goes nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from support.forge import TOKEN, Reply

from tidegate.forges.api import ForgeRefused, ForgeUnclear, ForgeUnreachable
from tidegate.forges.github import open_github
from tidegate.forges.gitlab import open_gitlab

COMMENTS = "/repos/acme/vision/issues/7/comments"
SECONDARY = {
    "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api",
    "message": "You have exceeded a secondary rate limit. Please wait a few minutes.",
}


def bodies(api, path=f"{COMMENTS}?per_page=100"):
    return [each["body"] for each in api.read_pages(path)]


def test_all_pages_are_read_in_order(api, forge):
    forge.page_size = 2
    for number in range(5):
        forge.write(f"comment {number}")
    assert bodies(api) == [f"comment {number}" for number in range(5)]
    assert len(forge.asked("GET")) == 3


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (Reply(429, {"Retry-After": "7"}), 7),
        (Reply(403, {"Retry-After": "30"}, SECONDARY), 30),
        (Reply(503, {"Retry-After": "2"}), 2),
    ],
)
def test_it_waits_as_long_as_it_is_told(api, forge, waits, reply, wait):
    forge.write("here")
    forge.failures = [("GET", reply)]
    assert bodies(api) == ["here"]
    assert waits == [wait]


def test_it_waits_until_the_day_or_the_reset_that_it_is_told(api, forge, waits):
    soon = datetime.now(UTC) + timedelta(seconds=40)
    forge.failures = [
        ("GET", Reply(429, {"Retry-After": format_datetime(soon, usegmt=True)})),
        (
            "GET",
            Reply(
                403,
                {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(soon.timestamp()))},
            ),
        ),
    ]
    assert bodies(api) == []
    assert all(30 < wait <= 40 for wait in waits)
    assert len(waits) == 2


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 0])
def test_what_passes_is_asked_for_again(api, forge, waits, status):
    forge.failures = [("GET", Reply(status)), ("GET", Reply(status))]
    assert bodies(api) == []
    assert len(waits) == 2


def test_it_gives_up_after_some_attempts(api, forge, waits):
    forge.failures = [("GET", Reply(502)) for _ in range(9)]
    with pytest.raises(ForgeUnreachable, match=r"127\.0\.0\.1: answered 502 Bad Gateway"):
        bodies(api)
    assert len(waits) == 4


def test_it_does_not_wait_for_an_hour(api, forge, waits):
    forge.failures = [("GET", Reply(429, {"Retry-After": "3600"}))]
    with pytest.raises(ForgeUnreachable, match="asks to wait 3600 seconds"):
        bodies(api)
    assert waits == []


def test_a_refusal_says_its_reason_and_is_not_repeated(api, forge, waits):
    forge.may_write = False
    expected = "answered 403 Forbidden: Resource not accessible by integration"
    with pytest.raises(ForgeRefused, match=expected):
        api.ask("POST", COMMENTS, {"body": "b"})
    assert (waits, len(forge.asked("POST"))) == ([], 1)


@pytest.mark.parametrize("status", [500, 502, 0])
def test_what_creates_is_not_repeated_blindly(api, forge, status):
    forge.failures = [("POST", Reply(status))]
    with pytest.raises(ForgeUnclear):
        api.ask("POST", COMMENTS, {"body": "b"})
    assert len(forge.asked("POST")) == 1


def test_what_creates_is_repeated_where_it_was_only_put_off(api, forge, waits):
    forge.failures = [("POST", Reply(429, {"Retry-After": "1"}))]
    api.ask("POST", COMMENTS, {"body": "b"})
    assert (waits, len(forge.comments)) == ([1], 1)


def test_the_token_follows_no_link_to_another_host(api, forge):
    link = {"Link": '<http://localhost:1/steal>; rel="next"'}
    forge.failures = [("GET", Reply(200, link, []))]
    with pytest.raises(ForgeUnreachable, match="points elsewhere, where the token must not go"):
        bodies(api)


def test_pages_without_end_are_not_followed(api, forge):
    link = {"Link": f'<{forge.url}{COMMENTS}>; rel="next"'}
    forge.failures = [("GET", Reply(200, link, [])) for _ in range(150)]
    with pytest.raises(ForgeUnreachable, match="more than 100 pages"):
        bodies(api)


@pytest.mark.parametrize(("body", "said"), [({}, "answered no list"), (None, "answered no JSON")])
def test_another_answer_is_no_empty_list(api, forge, body, said):
    forge.failures = [("GET", Reply(200, {}, body))]
    with pytest.raises(ForgeUnreachable, match=said):
        bodies(api)


def test_nobody_there_is_said(waits):
    with (
        open_github("http://127.0.0.1:9", TOKEN, waits.append) as api,
        pytest.raises(ForgeUnreachable, match=r"gave no answer \(ConnectError\)"),
    ):
        api.read("/user")
    assert len(waits) == 4


def test_the_token_is_in_no_message_and_no_repr(api, forge, caplog):
    caplog.set_level("DEBUG")
    forge.failures = [("GET", Reply(404, {}, {"message": "Not Found"}))]
    with pytest.raises(ForgeRefused) as refused:
        bodies(api)
    said = "".join([str(refused.value), repr(api), caplog.text])
    assert TOKEN not in said
    assert forge.requests[0][2]["Authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("token", ["", f"{TOKEN}\nX: y", f"{TOKEN} b", "tökén"])
@pytest.mark.parametrize("open_forge", [open_github, open_gitlab])
def test_a_token_that_no_header_can_carry_is_refused_unsaid(
    forge, waits, caplog, token, open_forge
):
    caplog.set_level("DEBUG")
    with pytest.raises(ForgeRefused) as refused, open_forge(forge.url, token, waits.append):
        pass
    assert not token or token not in f"{refused.value}{caplog.text}"
    assert forge.requests == []
