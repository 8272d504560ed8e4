"""Text that commands are given: each way that a file may be written, and what is said else."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import pytest

from tidegate.cli.text_files import open_text, read_text
from tidegate.vocabulary.problems import InvalidInput

TEXT = "pool: größe\nsecond: line\n"
WRITTEN = {
    "plain": TEXT.encode(),
    "with a mark in front": TEXT.encode("utf-8-sig"),
    "two bytes a letter": TEXT.encode("utf-16"),
    "two bytes a letter, the other way round": b"\xfe\xff" + TEXT.encode("utf-16-be"),
}


@pytest.mark.parametrize("raw", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "packed"])
def test_text_is_read_however_it_was_written(tmp_path, raw, packed):
    path = tmp_path / ("file.yaml.gz" if packed else "file.yaml")
    path.write_bytes(gzip.compress(raw) if packed else raw)
    assert read_text(path) == TEXT
    with open_text(path) as lines:
        assert list(lines) == TEXT.splitlines(keepends=True)


def test_an_empty_file_is_an_empty_text(tmp_path):
    path = tmp_path / "file"
    path.touch()
    assert read_text(path) == ""


@pytest.mark.parametrize("raw", WRITTEN.values(), ids=WRITTEN)
def test_a_pipe_is_read_as_a_file_is(raw):
    """As a shell's `<(command)` gives one."""
    reading, writing = os.pipe()
    os.write(writing, raw)
    os.close(writing)
    try:
        assert read_text(Path(f"/dev/fd/{reading}")) == TEXT
    finally:
        os.close(reading)


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(TEXT))
    assert read_text(Path("-")) == TEXT


def refusal(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_text(path)
    (problem,) = caught.value.problems
    assert problem.where == str(path)
    return problem.reason


def test_what_cannot_be_read_is_said_with_its_cause(tmp_path):
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(TEXT.encode())[:-9])
    (tmp_path / "no.gz").write_text("not packed")
    (tmp_path / "binary").write_bytes(b"\x89PNG\xff\x00\x9d")
    assert refusal(tmp_path / "absent") == "cannot be read (No such file or directory)"
    assert refusal(tmp_path) == "cannot be read (Is a directory)"
    assert refusal(tmp_path / "no.gz").startswith("cannot be read (Not a gzipped file")
    assert refusal(tmp_path / "binary") == "is not UTF-8 text"
    assert refusal(cut).startswith("cannot be read (Compressed file ended")
