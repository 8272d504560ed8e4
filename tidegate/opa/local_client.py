"""The client of our own OPA: one kept connection, and what all questions share is sent once.

A stack is thousands of small questions, of which parameters, label keys and storage classes are
the larger half. They are left with OPA as data, where `lib/shared.rego` reads them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import requests

from tidegate.policy.document import SHARED_KEYS

_PLACE: Final = "tidegate/shared"
_READER: Final = "data.tidegate.shared"
_NOT_FOUND: Final = 404


@dataclass
class Shared:
    """What is left with one OPA, for all of its clients.

    Attributes:
        keys: Keys of a question that may be left.
        left: What is there now.
    """

    keys: frozenset[str]
    left: Mapping[str, Any] = field(default_factory=dict)


class LocalClient:
    """Asks one OPA on the loopback interface. It fails with the errors of `requests`.

    What `opa-python-client` does for a central OPA (TLS, proxies, retries) is not needed here,
    and is a third of the time that a question takes.
    """

    def __init__(self, port: int, token: str, timeout_seconds: float, shared: Shared) -> None:
        """Connect when something is asked, without a proxy."""
        self._connection = HTTPConnection("127.0.0.1", port, timeout=timeout_seconds)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",
        }
        self._shared = shared

    def check_health(self) -> bool:
        """Return whether OPA is ready."""
        try:
            self._send("GET", "/health", None)
        except (OSError, ValueError):
            return False
        return True

    def query_rule(
        self,
        input_data: dict[str, Any],
        package_path: str,
        rule_name: str | None = None,
        query_params: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the decoded answer to a question.

        Raises:
            requests.RequestException: When OPA is down, slow or refuses.
            ValueError: When the answer is no JSON.
        """
        path = "/".join([*package_path.split("."), *([rule_name] if rule_name else [])])
        asked = urlencode(query_params or {})
        question = self._leave_shared(input_data)
        body = self._send("POST", f"/v1/data/{path}?{asked}", {"input": question})
        return json.loads(body)

    def close_connection(self) -> None:
        """End the connection."""
        self._connection.close()

    def _leave_shared(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return a question without what OPA has; leave there what it has not."""
        common = {key: question[key] for key in question.keys() & self._shared.keys}
        if common != self._shared.left:
            self._shared.left = {}
            self._send("PUT", f"/v1/data/{_PLACE}", common)
            self._shared.left = common
        return {key: value for key, value in question.items() if key not in common}

    def _send(self, method: str, path: str, content: Any) -> bytes:
        body = None if content is None else _encode(content)
        try:
            self._connection.request(method, path, body, self._headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except TimeoutError as error:
            self._connection.close()
            raise requests.Timeout from error
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise requests.ConnectionError from error
        if answer.status >= 400:
            raise requests.HTTPError(response=_as_response(answer.status, text))
        return text


def _encode(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def find_shared_keys(sources: Iterable[Path]) -> frozenset[str]:
    """Return the keys that no rule below `sources` reads from its input by itself.

    A rule that says `input.parameters` finds them there: such a key goes with every question.
    """
    modules = [
        text
        for source in sources
        for path in (source.rglob("*.rego") if source.is_dir() else [source])
        if not path.name.endswith("_test.rego")
        and _READER not in (text := path.read_text(encoding="utf-8", errors="replace"))
    ]
    read = re.compile(r"\binput\s*(?:\.\s*|\[\s*[\"`])(\w+)|\binput\b()")
    found = {name for text in modules for name in read.findall("\n".join(_code_of(text)))}
    names = {name for name, _ in found}
    # A rule that hands on its whole input may read anything of it.
    return frozenset() if "" in names else frozenset(SHARED_KEYS) - names


def _code_of(module: str) -> list[str]:
    return [line for line in module.splitlines() if not line.lstrip().startswith("#")]


def _as_response(status: int, text: bytes) -> requests.Response:
    response = requests.Response()
    response.status_code = status
    response._content = text  # noqa: SLF001 - the only way to make one
    return response
