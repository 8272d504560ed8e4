"""A download is used only if its checksum is the published one: tried against a real server."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tidegate.engine.downloads import DownloadFailed, _fetch_file, _fetch_text, _find_checksum

CONTENT = b"#!/bin/sh\necho v3.274.1\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
SHA512 = hashlib.sha512(CONTENT).hexdigest()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "program").write_bytes(CONTENT)
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("expected", [SHA256, SHA512])
def test_takes_what_matches_either_kind_of_checksum(
    address: str, tmp_path: Path, expected: str
) -> None:
    _fetch_file(f"{address}/program", tmp_path / "program", expected)
    assert (tmp_path / "program").read_bytes() == CONTENT


def test_throws_away_what_does_not_match(address: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadFailed, match=f"the sha256 is {SHA256}, published is 0000"):
        _fetch_file(f"{address}/program", tmp_path / "program", "0" * 64)


def test_says_which_address_cannot_be_had_and_why(address: str) -> None:
    with pytest.raises(DownloadFailed, match=f"{address}/nothing: .*(File not found|404)"):
        _fetch_text(f"{address}/nothing")


def test_finds_a_programs_own_line_among_the_checksums() -> None:
    text = (
        f"{'1' * 128}  pulumi-v3.274.1-linux-arm64.tar.gz\n"
        f"{'2' * 128}  ./pulumi-v3.274.1-linux-x64.tar.gz\n"
        f"{'3' * 64} *opa_linux_amd64_static\n"
    )
    assert _find_checksum(text, "pulumi-v3.274.1-linux-x64.tar.gz") == "2" * 128
    assert _find_checksum(text, "opa_linux_amd64_static") == "3" * 64


@pytest.mark.parametrize("text", ["", "<html>not found</html>", f"{'1' * 64}  other", "1" * 64])
def test_refuses_a_program_without_a_published_checksum(text: str) -> None:
    with pytest.raises(DownloadFailed, match="no checksum is published for opa"):
        _find_checksum(text, "opa")
