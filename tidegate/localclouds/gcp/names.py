"""Resource names, URLs and places of Google Cloud."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

COMPUTE_URL = "https://www.googleapis.com/compute/v1"
CONTAINER_URL = "https://container.googleapis.com/v1"
DEFAULT_PROJECT = "tidegate-local"
DEFAULT_REGION = "us-central1"

ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]")
REGION = re.compile(r"[a-z]+-[a-z]+\d+")

# Regions whose zones are not a, b, c: general vendor documentation, not verified.
UNUSUAL_ZONES: Mapping[str, str] = {
    "europe-west1": "bcd",
    "us-central1": "abcf",
    "us-east1": "bcd",
}


def now() -> str:
    """Return the present as RFC 3339 in UTC, as Google writes times."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def number_of(name: str) -> str:
    """Return a stable 19-digit number for a resource name, as Google's numeric ids look."""
    digest = hashlib.sha256(name.encode()).digest()
    return str(10**18 + int.from_bytes(digest[:7], "big"))


def project_number(project: str) -> str:
    """Return a project's number, as accounts of Google's services and budgets name it."""
    return number_of(project)[:12]


def hexadecimal_of(name: str, length: int = 8) -> str:
    """Return stable hexadecimal digits for a name."""
    return hashlib.sha256(name.encode()).hexdigest()[:length]


def fingerprint_of(body: Mapping[str, Any]) -> str:
    """Return a fingerprint that changes with the body."""
    return hexadecimal_of(repr(sorted(body.items(), key=lambda item: item[0])))


def last_part(name: str) -> str:
    """Return what follows the last slash of a name or URL."""
    return name.rstrip("/").rsplit("/", 1)[-1]


def relative_name(url: str) -> str:
    """Return "projects/…" of a resource given as a URL, a relative or a full name."""
    position = url.find("projects/")
    return url[position:] if position >= 0 else url


def region_of(location: str) -> str:
    """Return the region of a zone, or the region itself."""
    return location.rsplit("-", 1)[0] if ZONE.fullmatch(location) else location


def zones_of(region: str) -> list[str]:
    """Return the zones of a region."""
    return [f"{region}-{letter}" for letter in UNUSUAL_ZONES.get(region, "abc")]


def default_zones(location: str) -> list[str]:
    """Return where nodes stand when nobody says: the zone itself, or a region's first three."""
    return [location] if ZONE.fullmatch(location) else zones_of(location)[:3]


def project_of(given: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return the project: the resource's own, else the provider's, else the local one."""
    return str(given.get("project") or settings.get("project") or DEFAULT_PROJECT)


def region_setting(settings: Mapping[str, Any]) -> str:
    """Return the provider's region, of its zone when only that is set."""
    region = settings.get("region") or region_of(str(settings.get("zone") or ""))
    return str(region or DEFAULT_REGION)
