from __future__ import annotations

import base64
import socket
from dataclasses import dataclass, field

import httpx
import pytest

from tidegate.controller import requests
from tidegate.controller.face import Face, Views, check_address
from tidegate.vocabulary.problems import InvalidInput, Unavailable

TOKEN = "a-token-of-some-length"
STATUS = {
    "at": "2026-11-30T12:00:00+00:00",
    "leader": "",
    "lastTick": None,
    "snapshot": None,
    "sources": [],
    "overrides": [],
    "refused": [],
    "interruptions": [],
    "decisions": [],
}


@dataclass
class Status:
    """Answers what it is told to; an error is raised."""

    answer: dict | Exception = field(default_factory=lambda: STATUS)
    asked: int = 0

    def __call__(self):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def face():
    opened = []

    def open_one(*, why="", token="", status=None, seconds=lambda: 0.0):
        metrics = b"tidegate_leads 1.0\n"
        views = Views(lambda: why, lambda: metrics, status or Status(), seconds)
        opened.append(Face("127.0.0.1", 0, views, token))
        return f"http://127.0.0.1:{opened[-1].port}"

    yield open_one
    for each in opened:
        each.close()


def get(url, **options):
    return httpx.get(url, trust_env=False, **options)


def basic(password, user="anybody"):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_it_lives_and_works(face):
    url = face()

    assert [get(f"{url}/{page}").status_code for page in ("healthz", "readyz")] == [200, 200]
    assert get(f"{url}/metrics").text == "tidegate_leads 1.0\n"


def test_it_says_why_it_does_not_work(face):
    url = face(why="the last turn was 90 s ago")

    answer = get(f"{url}/readyz")

    assert (answer.status_code, answer.text) == (503, "the last turn was 90 s ago\n")
    assert get(f"{url}/healthz").status_code == 200


@pytest.mark.parametrize(
    "given",
    [
        None,
        "Bearer another-token-entirely",
        "Bearer",
        f"Digest {TOKEN}",
        TOKEN,
        basic("another-token-entirely"),
        basic("", user=TOKEN),
        "Basic no-base64!",
        "Basic " + base64.b64encode(b"\xff\xfe").decode(),
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
    ],
)
def test_with_a_token_nothing_but_health_is_shown_without_it(face, given):
    url = face(token=TOKEN)

    for page in ("", "metrics", "api/status", "none"):
        answer = get(f"{url}/{page}", headers={"Authorization": given} if given else {})
        assert (answer.status_code, TOKEN in answer.text) == (401, False)
        assert answer.headers.get_list("www-authenticate") == [
            'Bearer realm="tidegate"',
            'Basic realm="tidegate", charset="UTF-8"',
        ]
    assert get(f"{url}/healthz").status_code == get(f"{url}/readyz").status_code == 200


@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer  {TOKEN}", basic(TOKEN)])
def test_the_token_is_taken_as_a_bearers_or_as_a_password(face, given):
    url = face(token=TOKEN)

    for page in ("", "metrics", "api/status"):
        assert get(f"{url}/{page}", headers={"Authorization": given}).status_code == 200


def test_the_status_is_the_same_for_people_and_programs(face):
    url = face()

    assert get(f"{url}/api/status").json() == STATUS
    assert "Nobody leads: no pool is resized." in get(url).text


def test_a_status_is_read_once_a_second_however_many_ask(face):
    now = [0.0]
    status = Status()
    url = face(status=status, seconds=lambda: now[0])

    for _ in range(3):
        get(f"{url}/api/status")
        get(url)
    assert status.asked == 1

    now[0] = 1.0
    get(url)
    assert status.asked == 2


@pytest.mark.parametrize("page", ["", "api/status"])
def test_a_database_that_is_away_is_told(face, page):
    url = face(status=Status(Unavailable("the state database does not answer: gone")))

    answer = get(f"{url}/{page}")

    assert (answer.status_code, answer.headers["content-type"]) == (
        503,
        "text/plain; charset=utf-8",
    )
    assert answer.text == "the state database does not answer: gone\n"


def test_a_mistake_shows_nothing_of_itself(face):
    answer = get(face(status=Status(KeyError("secret-key"))))

    assert (answer.status_code, answer.text) == (500, "this program made a mistake\n")


@pytest.mark.parametrize("path", ["/etc/passwd", "/..%2f..%2fetc/passwd", "/static/", "/api/"])
def test_nothing_else_is_answered(face, path):
    assert get(face() + path).status_code == 404


@pytest.mark.parametrize("query", ["refresh=1", "refresh=", "refresh=15;url=//evil", "refresh=0x0"])
def test_a_refresh_that_is_none_of_the_choices_is_refused(face, query):
    answer = get(f"{face()}/?{query}")

    assert (answer.status_code, answer.text) == (400, "refresh is one of 0, 5, 15, 60 seconds\n")


def test_a_query_of_endless_fields_is_refused(face):
    assert get(f"{face()}/?{'a&' * 500}").status_code == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONE"])
def test_only_reading_is_answered(face, method):
    answer = httpx.request(method, face(), content=b"x" * 9_000, trust_env=False)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_the_head_of_an_answer_has_its_length_and_no_content(face):
    url = face()

    answer = httpx.head(f"{url}/api/status", trust_env=False)

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(get(f"{url}/api/status").content))


@pytest.mark.parametrize("page", ["metrics", "healthz", "api/status", "none"])
def test_answers_may_not_be_framed_or_kept(face, page):
    headers = get(f"{face()}/{page}").headers

    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["server"] == "tidegate"


def test_the_page_may_use_its_own_style_and_nothing_else(face):
    policy = get(face()).headers["content-security-policy"]

    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    assert parts.pop("style-src").startswith("'sha256-")
    assert parts == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "192.0.2.7", "[2001:db8::1]:9"]
)
def test_a_foreign_name_that_leads_to_loopback_is_refused(face, host):
    url = face()

    assert get(url, headers={"Host": host}).status_code == 421
    assert get(f"{url}/healthz", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:9", "127.8.9.1"]
)
def test_names_of_loopback_are_taken_by_any_port(face, host):
    assert get(face(), headers={"Host": host}).status_code == 200


def test_behind_a_token_any_name_will_do(face):
    headers = {"Host": "tidegate.example", "Authorization": f"Bearer {TOKEN}"}

    assert get(face(token=TOKEN), headers=headers).status_code == 200


def connect(url):
    return socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=20)


def send(url, sent):
    """Send raw bytes, and return what comes back until the connection ends."""
    found = b""
    with connect(url) as connection:
        connection.sendall(sent)
        try:
            while more := connection.recv(65_536):
                found += more
        except ConnectionResetError:
            pass
    return found


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", b"400"),
        (b"GET / HTTP/9.1\r\nHost: localhost\r\n\r\n", b"505"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 16_348, b"431"),
        (b"GET /" + b"a" * 16_379, b"414"),
    ],
    ids=["no host", "two hosts", "version", "no request", "long head", "long path"],
)
def test_what_is_no_request_is_told_and_ends(face, sent, status):
    answer = send(face(), sent)

    assert answer.split(b" ")[1] == status
    assert b"Content-Security-Policy" in answer


def test_a_client_that_says_nothing_keeps_nobody_waiting(face):
    url = face()
    with connect(url):
        assert get(f"{url}/healthz").status_code == 200


def test_a_client_that_dribbles_is_cut_off(face, monkeypatch):
    monkeypatch.setattr(requests, "REQUEST_SECONDS", 0.5)
    with connect(face()) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        connection.settimeout(0.05)
        for _ in range(400):
            try:
                connection.sendall(b"a")
                answer = connection.recv(1)
            except TimeoutError:
                continue
            except OSError:
                answer = b""
            break
    assert answer == b""


def test_more_clients_than_there_is_room_for_are_dropped_and_room_comes_back(face, monkeypatch):
    monkeypatch.setattr(requests, "AT_ONCE", 2)
    url = face()
    idle = [connect(url), connect(url)]
    with pytest.raises(httpx.TransportError):
        get(f"{url}/healthz")
    for each in idle:
        each.close()

    for _ in range(1000):
        try:
            status = get(f"{url}/healthz").status_code
        except httpx.TransportError:
            continue
        break
    assert status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.8", "example.com"])
def test_beyond_loopback_a_token_is_needed(host):
    with pytest.raises(InvalidInput, match="is not loopback"):
        check_address(host, "")

    check_address(host, TOKEN)


def test_a_token_that_can_be_guessed_is_refused():
    with pytest.raises(InvalidInput, match="short enough"):
        check_address("127.0.0.1", "letmein")


def test_it_listens_on_the_other_loopback_too():
    try:
        opened = Face("::1", 0, Views(lambda: "", bytes, Status(), lambda: 0.0))
    except OSError as error:
        pytest.skip(f"this machine has no IPv6 loopback ({error})")
    try:
        assert get(f"http://[::1]:{opened.port}/healthz").status_code == 200
    finally:
        opened.close()
