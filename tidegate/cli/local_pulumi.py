"""Pulumi beside the local clouds: the same home, state and passphrase for every command."""

from __future__ import annotations

import os
from pathlib import Path

from tidegate.engine.stack import StackRunner
from tidegate.engine.toolchain import Toolchain
from tidegate.localclouds.endpoints import Endpoints
from tidegate.localclouds.environment import local_environment

LOCAL_PASSPHRASE = "local-clouds"  # noqa: S105 - protects invented secrets on this machine


def home_directory(state_dir: Path) -> Path:
    """Return PULUMI_HOME below the folder that holds all local state."""
    return state_dir / "pulumi" / "home"


def backend_url(state_dir: Path) -> str:
    """Return the file backend below the folder that holds all local state."""
    # A checksum file beside each file would be written at every step, and nobody reads it.
    return (state_dir / "pulumi" / "state").absolute().as_uri() + "?metadata=skip"


def build_local_runner(
    root: Path, state_dir: Path, endpoints: Endpoints, toolchain: Toolchain
) -> StackRunner:
    """Return a runner whose Pulumi home, state and clouds are all below `state_dir`."""
    return StackRunner(
        root,
        home=home_directory(state_dir),
        backend_url=backend_url(state_dir),
        environment=local_environment(endpoints, os.environ),
        toolchain=toolchain,
        passphrase=LOCAL_PASSPHRASE,
        local=True,
        records=state_dir / "runs",
    )


def build_shell_environment(
    state_dir: Path, endpoints: Endpoints, toolchain: Toolchain
) -> dict[str, str]:
    """Return the environment in which a hand-run `pulumi` sees what `tidegate up` made."""
    return toolchain.environment(
        home_directory(state_dir),
        backend_url(state_dir),
        local_environment(endpoints, os.environ),
        LOCAL_PASSPHRASE,
    )
