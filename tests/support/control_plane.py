"""Kubernetes clusters without containers: a real etcd, API servers and schedulers on loopback.

Nodes are what a test registers (`support.kubelet`); everything else is Kubernetes' own.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import yaml
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from kubernetes import client, config
from support.programs import answers, free_port, lack, running, wait_until

from tidegate.engine.control_plane import is_control_plane_current
from tidegate.engine.toolchain import tools_bin

REPOSITORY = Path(__file__).resolve().parents[2]
WITHOUT = "TIDEGATE_WITHOUT_CONTROL_PLANE"
ADMIN, GROUP = "admin", "system:masters"


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs, and a kubeconfig whose context is called as the cluster is."""

    name: str
    url: str
    kubeconfig: Path

    @cached_property
    def api(self) -> client.ApiClient:
        return config.new_client_from_config(str(self.kubeconfig), context=self.name)

    @property
    def core(self) -> client.CoreV1Api:
        return client.CoreV1Api(self.api)

    def read_lease(self, name: str) -> Any:
        """Return what a lease says."""
        return client.CoordinationV1Api(self.api).read_namespaced_lease(name, "default").spec


def find_programs() -> Path:
    """Return the folder of the programs; the test is skipped where they are absent."""
    if not is_control_plane_current(REPOSITORY):
        lack("needs Kubernetes' control plane: run ./scripts/setup --control-plane", WITHOUT)
    return tools_bin(REPOSITORY)


@contextmanager
def run_clusters(folder: Path, names: Sequence[str]) -> Iterator[dict[str, Cluster]]:
    """Run clusters over one etcd until the block ends.

    Args:
        folder: Where data, keys and logs go.
        names: What the clusters are called.
    """
    programs = find_programs()
    with ExitStack() as stack:
        etcd = stack.enter_context(_run_etcd(programs, folder))
        yield {
            name: stack.enter_context(_run_cluster(programs, folder, name, etcd)) for name in names
        }


@contextmanager
def _run_etcd(programs: Path, folder: Path) -> Iterator[str]:
    url, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    log = folder / "etcd.log"
    command = [
        *(programs / "etcd", f"--data-dir={folder / 'etcd'}", "--unsafe-no-fsync"),
        *(f"--listen-client-urls={url}", f"--advertise-client-urls={url}"),
        *(f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"),
        *(f"--initial-cluster=default={peer}", "--log-level=warn"),
    ]
    with running(command, log) as process:
        wait_until(lambda: answers(f"{url}/health"), process, log)
        yield url


@contextmanager
def _run_cluster(programs: Path, folder: Path, name: str, etcd: str) -> Iterator[Cluster]:
    home, token, port = folder / name, secrets.token_urlsafe(24), free_port()
    home.mkdir()
    cluster = Cluster(name, f"https://127.0.0.1:{port}", home / "kubeconfig")
    certificate, log = home / "apiserver.crt", home / "kube-apiserver.log"
    # The servers' signed tokens of service accounts are asked for by nobody here, but required.
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (home / "accounts.pem").write_bytes(pem)
    (home / "tokens.csv").write_text(f"{token},{ADMIN},{ADMIN},{GROUP}\n")
    command = [
        *(programs / "kube-apiserver", f"--etcd-servers={etcd}", f"--etcd-prefix=/{name}"),
        *("--bind-address=127.0.0.1", f"--secure-port={port}", f"--cert-dir={home}"),
        *("--authorization-mode=RBAC", "--anonymous-auth=false"),
        f"--token-auth-file={home / 'tokens.csv'}",
        "--service-account-issuer=https://kubernetes.tests",
        f"--service-account-key-file={home / 'accounts.pem'}",
        f"--service-account-signing-key-file={home / 'accounts.pem'}",
        # No controller gives namespaces their accounts, or clears taints of nodes that are ready.
        "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
        *("--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24"),
    ]

    bearer = {"Authorization": f"Bearer {token}"}
    with running(command, log) as process:
        is_ready = partial(_answers, f"{cluster.url}/readyz", certificate, bearer)
        wait_until(is_ready, process, log)
        _write_kubeconfig(cluster, certificate, token)
        with _run_scheduler(programs, home, cluster):
            yield cluster
            cluster.api.close()


@contextmanager
def _run_scheduler(programs: Path, home: Path, cluster: Cluster) -> Iterator[None]:
    port, log = free_port(), home / "kube-scheduler.log"
    command = [
        *(programs / "kube-scheduler", f"--kubeconfig={cluster.kubeconfig}"),
        *("--leader-elect=false", "--bind-address=127.0.0.1", f"--secure-port={port}"),
        f"--cert-dir={home / 'scheduler'}",
    ]

    certificate = home / "scheduler" / "kube-scheduler.crt"
    with running(command, log) as process:
        wait_until(
            partial(_answers, f"https://127.0.0.1:{port}/healthz", certificate), process, log
        )
        yield


def _answers(url: str, certificate: Path, headers: Mapping[str, str] | None = None) -> bool:
    """Return whether a server answers that makes its own certificate at its start."""
    try:
        trust = ssl.create_default_context(cafile=certificate)
    except (OSError, ssl.SSLError):
        return False  # not there yet, or half written
    return answers(url, headers=headers, verify=trust)


def _write_kubeconfig(cluster: Cluster, certificate: Path, token: str) -> None:
    name = cluster.name
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": name,
                "cluster": {"server": cluster.url, "certificate-authority": str(certificate)},
            }
        ],
        "users": [{"name": ADMIN, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": ADMIN}}],
        "current-context": name,
    }
    cluster.kubeconfig.write_text(yaml.safe_dump(document))
    cluster.kubeconfig.chmod(0o600)
