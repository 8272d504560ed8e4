from __future__ import annotations

import socket

import httpx
import pytest

from tidegate.controller.face import Face, Views, check_address
from tidegate.controller.logs import hide_secrets
from tidegate.vocabulary.problems import InvalidInput

TOKEN = "a-token-of-some-length"


@pytest.fixture
def face():
    opened = []

    def open_one(*, why="", token=""):
        views = Views(lambda: why, lambda: b"tidegate_leads 1.0\n")
        opened.append(Face("127.0.0.1", 0, views, token))
        return f"http://127.0.0.1:{opened[-1].port}"

    yield open_one
    for each in opened:
        each.close()


def get(url, **options):
    return httpx.get(url, trust_env=False, **options)


def test_it_lives_and_works(face):
    url = face()

    assert [get(f"{url}/{page}").status_code for page in ("healthz", "readyz")] == [200, 200]
    assert get(f"{url}/metrics").text == "tidegate_leads 1.0\n"


def test_it_says_why_it_does_not_work(face):
    url = face(why="the last turn was 90 s ago")

    answer = get(f"{url}/readyz")

    assert (answer.status_code, answer.text) == (503, "the last turn was 90 s ago\n")
    assert get(f"{url}/healthz").status_code == 200


def test_with_a_token_only_health_is_shown_to_everybody(face):
    url = face(token=TOKEN)

    assert get(f"{url}/metrics").status_code == 401
    wrong = {"Authorization": "Bearer another-token-entirely"}
    assert get(f"{url}/metrics", headers=wrong).status_code == 401
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert get(f"{url}/metrics", headers=right).status_code == 200
    assert get(f"{url}/healthz").status_code == 200


def test_nothing_else_is_answered(face):
    url = face()

    assert get(f"{url}/etc/passwd").status_code == 404
    assert httpx.post(f"{url}/metrics", trust_env=False).status_code == 501


def test_answers_may_not_be_framed_or_kept(face):
    headers = get(f"{face()}/metrics").headers

    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["cache-control"] == "no-store"
    assert headers["server"] == "tidegate"


def test_a_client_that_says_nothing_keeps_nobody_waiting(face):
    url = face()
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        assert get(f"{url}/healthz").status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.8", "example.com"])
def test_beyond_loopback_a_token_is_needed(host):
    with pytest.raises(InvalidInput, match="is not loopback"):
        check_address(host, "")

    check_address(host, TOKEN)


def test_a_token_that_can_be_guessed_is_refused():
    with pytest.raises(InvalidInput, match="short enough"):
        check_address("127.0.0.1", "letmein")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Bearer abc.def", "abc.def"),
        ("http://user:pw1234@prometheus:9090 does not answer", "pw1234"),
        ("GET /x?token=abcdef&y=1", "abcdef"),
        ("password=open-sesame", "open-sesame"),
    ],
)
def test_secrets_are_hidden(text, hidden):
    assert hidden in text
    assert hidden not in hide_secrets(text)


def test_plain_words_stay():
    text = "eks: token 7 leads no more; see https://example.com/a:b"

    assert hide_secrets(text) == text
