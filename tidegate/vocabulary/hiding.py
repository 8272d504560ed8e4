"""What looks like a secret, hidden in texts that others wrote: clouds, servers, libraries."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from typing import Any

STARS = "***"
_UNRESERVED = frozenset((string.ascii_letters + string.digits + "-._~").encode())
SHORTEST = 8
"""A shorter value of a variable would be found in words that are no secret."""
_WORDS = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|api[-_]?key|access[-_]?key(?:[-_]?id)?|account[-_]?key"
    r"|secret[-_]?key|private[-_]?key|client[-_]?secret|signature|sig|credentials?"
)
_PATTERNS = (
    re.compile(r"(?s)()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END[A-Z -]{0,50}|\Z)"),
    re.compile(r"(?i)(authorization['\"]?[=:]\s*['\"]?(?:(?:bearer|basic)\s+)?)[^\s'\",;&}]+"),
    re.compile(r"(?i)(\bbearer\s+)[\w.~+/=-]{12,}"),
    re.compile(rf"(?i)((?:{_WORDS})=)['\"]?[^\s'\"&;,}}]+"),
    re.compile(rf"(?i)((?:{_WORDS})['\"]\s*:\s*['\"])[^'\"]+"),
    re.compile(r"((?i:password|passphrase|token|accountkey):\s*)(?=\S*[^\sa-z])[^\s'\"&;,}]{6,}"),
    re.compile(r"(//[^/\s:@]*:)[^/\s@]+(?=@)"),
    re.compile(r"()\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"),
    re.compile(r"()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abp]-|pul-|ya29\.|AIza)[\w.-]{16,}"),
)
"""What stands in the first group stays; the rest of a match is hidden."""
_SECRET_NAME = re.compile(
    r"(?i)token|secret|passw|passphrase|credential|private|api_?key|access_?key|account_?key"
    r"|connection_?string|_sas|otlp_headers|database_url"
)
_PLAIN = re.compile(r"[a-z]+(?:-[a-z]+)?")
"""Words ("tidegate", as local clouds take for a key): hidden, they would be missed all over."""
_FILE_NAME = re.compile(r"(?i)_file$|^google_application_credentials$")


def hide_secrets(text: str, known: Iterable[str] = ()) -> str:
    """Return a text without what looks like a secret, and without the values that are known to be.

    Args:
        text: What somebody else wrote.
        known: Values, as `find_secrets` returns them.
    """
    for value in sorted(known, key=len, reverse=True):
        text = text.replace(value, STARS)
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{STARS}", text)
    return text


def hide_all(document: Any, known: Iterable[str] = ()) -> Any:
    """Return a JSON document with the secrets of all of its texts hidden; its keys stay."""
    if isinstance(document, str):
        return hide_secrets(document, known)
    if isinstance(document, Mapping):
        return {key: hide_all(value, known) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [hide_all(value, known) for value in document]
    return document


def find_secrets(environment: Mapping[str, str], names: Iterable[str] = ()) -> frozenset[str]:
    """Return the values of variables that hold secrets, also as a URL spells them.

    Args:
        environment: All variables.
        names: Variables that hold one whatever they are called.
    """
    stated = set(names)
    values = {
        value.strip()
        for name, value in environment.items()
        if name in stated or (_SECRET_NAME.search(name) and not _FILE_NAME.search(name))
    }
    long = {value for value in values if len(value) >= SHORTEST and not _PLAIN.fullmatch(value)}
    return frozenset(long | {_spell_in_url(value) for value in long})


def _spell_in_url(value: str) -> str:
    return "".join(chr(b) if b in _UNRESERVED else f"%{b:02X}" for b in value.encode())
