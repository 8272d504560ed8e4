"""Where a running server answers, and the file and lock by which others find it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from tidegate.vocabulary.problems import refuse

FILE = "endpoints.json"
LOCK = "server.lock"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """A running server's addresses, all on loopback.

    Attributes:
        pid: The server's process.
        provider_ports: The Pulumi provider's port for "aws", "gcp", "azure-native", "kubernetes".
        aws_url: For boto3's AWS_ENDPOINT_URL.
        gcp_url: For google-cloud's api_endpoint.
        azure_url: For azure-mgmt's base_url.
        kubernetes_url: Below it each cluster's API server answers.
        control_url: Health, resources and faults.
        started_at: ISO 8601, UTC.
        state_dir: The directory that holds its state.
        fingerprint: Of the code that runs, so that an outdated server is noticed.
    """

    pid: int
    provider_ports: dict[str, int]
    aws_url: str
    gcp_url: str
    azure_url: str
    kubernetes_url: str
    control_url: str
    started_at: str
    state_dir: str
    fingerprint: str

    def to_json(self) -> dict[str, object]:
        """Return the form of endpoints.json."""
        return {
            "pid": self.pid,
            "providerPorts": self.provider_ports,
            "awsUrl": self.aws_url,
            "gcpUrl": self.gcp_url,
            "azureUrl": self.azure_url,
            "kubernetesUrl": self.kubernetes_url,
            "controlUrl": self.control_url,
            "startedAt": self.started_at,
            "stateDir": self.state_dir,
            "fingerprint": self.fingerprint,
        }


def write_endpoints(state_dir: Path, endpoints: Endpoints) -> None:
    """Write endpoints.json so that a reader sees all of it or none."""
    draft = state_dir / f"{FILE}.{endpoints.pid}"
    draft.write_text(json.dumps(endpoints.to_json(), indent=2) + "\n", encoding="utf-8")
    draft.replace(state_dir / FILE)


def read_endpoints(state_dir: Path) -> Endpoints | None:
    """Return the endpoints of the server that runs on this state, or None when none runs.

    A file that a killed server left behind counts as none: its lock is free.

    Raises:
        InvalidInput: When the file names an address that is not on this machine.
    """
    if not is_locked(state_dir):
        return None
    try:
        body = json.loads((state_dir / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    endpoints = Endpoints(
        pid=body["pid"],
        provider_ports=body["providerPorts"],
        aws_url=body["awsUrl"],
        gcp_url=body["gcpUrl"],
        azure_url=body["azureUrl"],
        # A server of an earlier version has none; it is about to be replaced.
        kubernetes_url=body.get("kubernetesUrl", body["controlUrl"]),
        control_url=body["controlUrl"],
        started_at=body["startedAt"],
        state_dir=body["stateDir"],
        fingerprint=body["fingerprint"],
    )
    for url in (
        endpoints.aws_url,
        endpoints.gcp_url,
        endpoints.azure_url,
        endpoints.kubernetes_url,
        endpoints.control_url,
    ):
        require_loopback(url)
    return endpoints


def require_loopback(url: str) -> str:
    """Return the URL when it is on this machine.

    Raises:
        InvalidInput: When it is anywhere else; local clouds never talk to a real one.
    """
    host = urlsplit(url).hostname or ""
    try:
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise refuse(
            "local clouds", "endpoint", url, "not on this machine", "a loopback address (127.0.0.1)"
        )
    return url


@contextmanager
def hold_lock(state_dir: Path) -> Iterator[bool]:
    """Hold the state directory for this process; yield False when another holds it.

    The kernel frees the lock when the process ends, however it ends.
    """
    state_dir.mkdir(parents=True, exist_ok=True)
    with (state_dir / LOCK).open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def is_locked(state_dir: Path) -> bool:
    """Tell whether a server holds the state directory."""
    if not (state_dir / LOCK).exists():
        return False
    with (state_dir / LOCK).open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def compute_fingerprint() -> str:
    """Return a digest of the room's files, so that a server of older code can be told."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in {".py", ".toml", ".json"}:
            stat = os.stat(path)  # noqa: PTH116 - one call for both figures
            digest.update(f"{path.name}:{stat.st_size}:{stat.st_mtime_ns};".encode())
    return digest.hexdigest()[:16]
