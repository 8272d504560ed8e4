"""Text that a command is given: files, packed or not, and standard input."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from tidegate.vocabulary.problems import refuse

STDIN = "-"
GZIP = ".gz"
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: Path) -> str:
    """Return the text of a file, or of standard input for "-".

    Raises:
        InvalidInput: It cannot be read, or is not UTF-8.
    """
    try:
        with open_text(path) as lines:
            return lines.read()
    except UnicodeDecodeError as error:
        raise refuse(str(path), "", None, "is not UTF-8 text", "a text file") from error


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Yield a file's lines, unpacked where it ends in .gz, or those of standard input for "-".

    Raises:
        InvalidInput: It cannot be read.
    """
    if str(path) == STDIN:
        yield sys.stdin
        return
    opener = gzip.open if path.suffix.lower() == GZIP else open
    try:
        with opener(path, "rb") as raw, _decode(raw) as lines:
            yield lines
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise refuse(str(path), "", None, f"cannot be read ({reason})", "a file") from error


def _decode(raw: Any) -> TextIO:
    """Return the text of bytes that can be read once alone, as those of a pipe can."""
    # PowerShell writes a mark in front, or two bytes a letter.
    encoding = "utf-16" if raw.peek(2)[:2] in UTF_16_MARKS else "utf-8-sig"
    return io.TextIOWrapper(raw, encoding=encoding, newline="")
