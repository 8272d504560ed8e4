"""Kubernetes' control plane for tests: etcd, the API server and the scheduler, pinned and built.

Standard library only: `scripts/setup` runs this before anything is installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from tidegate.engine.go_builds import build_program, go_environment
from tidegate.engine.programs import ProgramSpec, pinned_version
from tidegate.engine.toolchain import tools_bin

Report = Callable[[str], None]

FOLDER = "kubernetes"
STAMP = "control-plane"
_WHY = "the tests were written against this series"
_SYMBOL = "k8s.io/component-base/version.gitVersion"

ETCD = ProgramSpec(
    name="etcd",
    minimum=(3, 6, 0),
    below=(3, 7, 0),
    why=_WHY,
    module="go.etcd.io/etcd/server/v3",
    package="go.etcd.io/etcd/server/v3",
    version_symbol="",
    hot=("std",),
    folder=FOLDER,
)


def _describe_kubernetes(name: str) -> ProgramSpec:
    return ProgramSpec(
        name=name,
        minimum=(1, 34, 0),
        below=(1, 35, 0),
        why=_WHY,
        module="k8s.io/kubernetes",
        package=f"k8s.io/kubernetes/cmd/{name}",
        version_symbol=_SYMBOL,
        hot=("std",),
        folder=FOLDER,
    )


API_SERVER = _describe_kubernetes("kube-apiserver")
SCHEDULER = _describe_kubernetes("kube-scheduler")
CONTROL_PLANE = (ETCD, API_SERVER, SCHEDULER)


def obtain_control_plane(root: Path, environment: Mapping[str, str], report: Report) -> None:
    """Build the programs into `.tools/bin`; do nothing when they are those of the go.mod.

    Raises:
        BuildFailed: There is no Go, or it fails.
    """
    if is_control_plane_current(root):
        report("the control plane is up to date")
        return
    stamp = root / ".tools" / STAMP
    stamp.unlink(missing_ok=True)
    go = go_environment(root / ".tools", environment)
    for spec in CONTROL_PLANE:
        version = pinned_version(spec, root)
        report(f"building {spec.name} {version} with Go (in all some five minutes)")
        report(f"built {build_program(spec, version, root, tools_bin(root), go)}")
    stamp.write_text(_digest(root), encoding="utf-8")


def is_control_plane_current(root: Path) -> bool:
    """Say whether `.tools/bin` holds the very programs that were built of the pinned modules."""
    try:
        return (root / ".tools" / STAMP).read_text(encoding="utf-8") == _digest(root)
    except OSError:
        return False


def _digest(root: Path) -> str:
    """Digest what the programs are built of, and what they are as files.

    Raises:
        OSError: One of them is absent.
    """
    digest = hashlib.sha256()
    for name in ("go.mod", "go.sum"):
        digest.update((root / "tools" / FOLDER / name).read_bytes())
    for spec in CONTROL_PLANE:
        facts = (tools_bin(root) / spec.name).stat()
        digest.update(f"{spec} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()
