"""A central OPA: where it is, how it is trusted, and how long it may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest

if TYPE_CHECKING:
    from opa_client.opa import OpaClient  # type: ignore[import-untyped]  # it ships no types

PREFIX: Final = "TIDEGATE_OPA_"
VARIABLES: Final[Mapping[str, str]] = {
    "TIDEGATE_OPA_URL": "https://opa.example.com:8181",
    "TIDEGATE_OPA_TOKEN": "the token that it asks for",
    "TIDEGATE_OPA_TOKEN_FILE": "a file with the token",
    "TIDEGATE_OPA_CA": "a file of certificates (PEM)",
    "TIDEGATE_OPA_PATH": "tidegate/main/answers",
    "TIDEGATE_OPA_BUNDLE": "NAME or NAME@REVISION",
    "TIDEGATE_OPA_CONNECT_SECONDS": "a number above 0",
    "TIDEGATE_OPA_SECONDS": "a number above 0",
}
"""Environment variable → what it holds. The pack has no command line to say it on."""

DEFAULT_PATH: Final = "tidegate/main/answers"
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class CentralOpa:
    """An OPA that somebody else runs, with Tidegate's rules in it.

    Attributes:
        url: Where it answers, without `/v1`.
        token: What it knows us by; "" where it asks for none. Shown nowhere.
        ca: The certificates that sign its own; None for those of the system's Python.
        path: The document of all answers, `package/rule` with slashes.
        bundle: The bundle that must be loaded there, "" for any.
        revision: The revision that the bundle must have, "" for any.
        connect_seconds: How long a connection may take.
        answer_seconds: How long an answer may take; 0 for what each command takes by itself.
    """

    url: str
    token: str = field(default="", repr=False)
    ca: Path | None = None
    path: str = DEFAULT_PATH
    bundle: str = ""
    revision: str = ""
    connect_seconds: float = 5.0
    answer_seconds: float = 0.0


def read_central_opa(environment: Mapping[str, str], url: str = "") -> CentralOpa | None:
    """Return the central OPA of an environment; None where it names none.

    Args:
        environment: Names → values; those that begin with TIDEGATE_OPA_ are read.
        url: What a command line says, over TIDEGATE_OPA_URL.

    Raises:
        InvalidInput: For a variable that is not known (naming the nearest), one that does not
            fit, a token that would travel unencrypted, or settings without a URL.
    """
    given = {key: text.strip() for key, text in environment.items() if key.startswith(PREFIX)}
    given = {key: text for key, text in given.items() if text}
    problems = [_unknown(key) for key in sorted(given) if key not in VARIABLES]
    where = url or given.get("TIDEGATE_OPA_URL", "")
    if given and not where:
        problems.append(_problem("TIDEGATE_OPA_URL", "", "is missing beside the others"))
    if problems:
        raise InvalidInput(problems)
    if not where:
        return None
    token = given.get("TIDEGATE_OPA_TOKEN", "") or _read_token(given)
    address = _parse_url(where)
    if token and address.scheme == "http" and address.hostname not in _LOOPBACK:
        reason = "would carry the token unencrypted"
        raise InvalidInput(_problem("TIDEGATE_OPA_URL", where, reason))
    bundle, _, revision = given.get("TIDEGATE_OPA_BUNDLE", "").partition("@")
    return CentralOpa(
        url=where.rstrip("/"),
        token=token,
        ca=_read_ca(given),
        path=_parse_path(given),
        bundle=bundle,
        revision=revision,
        connect_seconds=_parse_seconds(given, "TIDEGATE_OPA_CONNECT_SECONDS", 5.0),
        answer_seconds=_parse_seconds(given, "TIDEGATE_OPA_SECONDS", 0.0),
    )


def build_central_client(central: CentralOpa, answer_seconds: float) -> OpaClient:
    """Return a client that answers or fails within its time, once, and is sent nowhere else.

    Args:
        central: Where and how.
        answer_seconds: How long an answer may take where the settings do not say it.
    """
    from opa_client.opa import OpaClient
    from requests.utils import get_environ_proxies

    address = _parse_url(central.url)
    client = OpaClient(
        host=address.hostname,
        port=address.port or _PORTS[address.scheme],
        # True is the system's certificates, a path those of a file.
        ssl=address.scheme == "https" and (str(central.ca) if central.ca else True),
        token=central.token or None,
        retries=0,
        timeout=(central.connect_seconds, central.answer_seconds or answer_seconds),
    )
    client.root_url = f"{central.url}/v1"
    # What `requests` takes from its surroundings could replace our token (.netrc) or our
    # certificates; only the proxies of a company's network are taken.
    session = client._session  # noqa: SLF001 - the client offers no other way
    session.trust_env = False
    session.proxies = get_environ_proxies(client.root_url)
    session.max_redirects = 0  # nobody sends the resources of a stack on to another place
    return client


def _parse_url(text: str) -> SplitResult:
    try:
        address = urlsplit(text)
        is_good = address.scheme in _PORTS and bool(address.hostname) and address.port != 0
    except ValueError:
        is_good = False
    if not is_good or address.query or address.fragment:
        raise InvalidInput(_problem("TIDEGATE_OPA_URL", _without_user(text), "is no address"))
    if address.username or address.password:
        reason = "holds a user or password, which would be shown in messages"
        raise InvalidInput(_problem("TIDEGATE_OPA_URL", "", reason))
    return address


def _without_user(text: str) -> str:
    return text.rpartition("@")[2]


def _parse_path(given: Mapping[str, str]) -> str:
    path = given.get("TIDEGATE_OPA_PATH", DEFAULT_PATH).strip("/")
    parts = path.split("/")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise InvalidInput(_problem("TIDEGATE_OPA_PATH", path, "is no path of a package's rule"))
    return path


def _parse_seconds(given: Mapping[str, str], name: str, default: float) -> float:
    if name not in given:
        return default
    try:
        seconds = float(given[name])
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise InvalidInput(_problem(name, given[name], "is no time in seconds"))
    return seconds


def _read_token(given: Mapping[str, str]) -> str:
    name = "TIDEGATE_OPA_TOKEN_FILE"
    if name not in given:
        return ""
    try:
        token = Path(given[name]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(_problem(name, given[name], "cannot be read")) from error
    if not token:
        raise InvalidInput(_problem(name, given[name], "is empty"))
    return token


def _read_ca(given: Mapping[str, str]) -> Path | None:
    name = "TIDEGATE_OPA_CA"
    if name not in given:
        return None
    path = Path(given[name])
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(_problem(name, given[name], "cannot be read")) from error
    if "-----BEGIN CERTIFICATE-----" not in text:
        raise InvalidInput(_problem(name, given[name], "holds no certificate"))
    return path


def _unknown(name: str) -> Problem:
    reason = f"is not known{suggest(name, VARIABLES)}"
    return Problem("environment", name, "", reason, ", ".join(VARIABLES))


def _problem(name: str, value: str, reason: str) -> Problem:
    return Problem("central OPA", name, repr(value) if value else "", reason, VARIABLES[name])


def check_provenance(central: CentralOpa, provenance: object) -> None:
    """Refuse an answer that does not come from the bundle that is wanted.

    Args:
        central: Names the bundle, and perhaps its revision.
        provenance: OPA's own word on what answered (`?provenance=true`).

    Raises:
        RuleEngineError: When the bundle is not loaded, or is of another revision.
    """
    if not central.bundle:
        return
    found = provenance.get("bundles") if isinstance(provenance, Mapping) else None
    bundles = found if isinstance(found, Mapping) else {}
    if central.bundle not in bundles:
        loaded = ", ".join(sorted(bundles)) or "none"
        raise RuleEngineError(
            f"the OPA at {central.url} has no bundle {central.bundle!r} (it has {loaded})"
        )
    entry = bundles[central.bundle]
    revision = str(entry.get("revision", "")) if isinstance(entry, Mapping) else ""
    if central.revision and revision != central.revision:
        raise RuleEngineError(
            f"the OPA at {central.url} has revision {revision!r} of bundle {central.bundle!r}, "
            f"and {central.revision!r} is wanted"
        )
