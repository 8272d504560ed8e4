"""The real CLI, a tiny project and a tiny cloud for each test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tidegate.engine.pending import CannotTell, PendingCreate
from tidegate.engine.stack import StackRunner
from tidegate.engine.toolchain import Toolchain, ToolMissing, find_toolchain, provide_language_host

ROOT = Path(__file__).resolve().parents[2]
PROVIDER = Path(__file__).with_name("tiny_provider.py")

PROGRAM = """
import pulumi


class Thing(pulumi.CustomResource):
    def __init__(self, resource_name, opts=None, **inputs):
        super().__init__("tiny:index:Thing", resource_name, inputs, opts)


config = pulumi.Config()
previous = None
for number in range(config.get_int("count") or 3):
    name = f"t{number}"
    Thing(
        name,
        name=name,
        size=(config.get_int("size") or 1) + number,
        random=bool(config.get_bool("random")),
        fail=config.get("fail") == name,
        tags={"owner": "tests"},
        opts=pulumi.ResourceOptions(protect=config.get("protect") == name),
    )
pulumi.export("count", config.get_int("count"))
"""

PACK = """
import os

from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy


def small(args, report):
    if os.environ.get("TINY_PACK_CRASH"):
        raise ValueError("a bug in the pack")
    if args.resource_type == "tiny:index:Thing" and args.props.get("size", 0) > 50:
        report(f"size {args.props['size']:.0f} is above 50")


PolicyPack(
    name="tiny",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[ResourceValidationPolicy(name="small", description="Are small", validate=small)],
)
"""


@dataclass
class TinyCloud:
    """The provider's store, as a test looks at it."""

    store: Path
    port: int

    @property
    def names(self) -> list[str]:
        return sorted(path.stem for path in self.store.glob("*.json"))

    @property
    def creations(self) -> list[str]:
        log = self.store / "created.log"
        return [line.split()[-1] for line in log.read_text().splitlines()] if log.exists() else []

    def delay_creations(self, seconds: float) -> None:
        (self.store / "delay").write_text(str(seconds))

    def find(self, pending: PendingCreate) -> str:
        """Every thing is called what its name says."""
        if pending.inputs.get("random"):
            raise CannotTell("the tiny cloud chose its identifier")
        return str(pending.inputs["name"])


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    try:
        found = find_toolchain(ROOT)
    except ToolMissing as error:
        pytest.skip(f"run scripts/setup first: {error}")
    provide_language_host(ROOT, os.environ)
    return found


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[TinyCloud]:
    store = tmp_path / "cloud"
    process = subprocess.Popen(
        [sys.executable, PROVIDER, store], stdout=subprocess.PIPE, text=True, stdin=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    yield TinyCloud(store, int(process.stdout.readline()))
    process.kill()
    process.wait()
    process.stdout.close()
    process.stdin.close()


@dataclass
class TinyProject:
    """A project whose configuration a test changes."""

    directory: Path
    state: Path
    cloud: TinyCloud
    toolchain: Toolchain
    runner: StackRunner

    @property
    def pack(self) -> Path:
        return self.directory / "policies"

    def configure(self, **values: object) -> None:
        lines = [f"  tiny-project:{name}: {str(value).lower()}" for name, value in values.items()]
        text = "\n".join(["config:", *lines]) if lines else "config: {}"
        (self.directory / "stacks" / "Pulumi.dev.yaml").write_text(text + "\n")

    def runner_with(self, **environment: str) -> StackRunner:
        return make_runner(self.directory, self.state, self.cloud, self.toolchain, environment)


@pytest.fixture
def project(tmp_path: Path, cloud: TinyCloud, toolchain: Toolchain) -> TinyProject:
    directory = tmp_path / "project"
    settings = "name: tiny-project\nruntime: python\nmain: stacks\nstackConfigDir: stacks\n"
    for path, text in {
        "Pulumi.yaml": settings,
        "stacks/__main__.py": PROGRAM,
        "stacks/Pulumi.dev.yaml": "config: {}\n",
        "policies/__main__.py": PACK,
        "policies/PulumiPolicy.yaml": "runtime: python\n",
    }.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)
    state = tmp_path / "state"
    runner = make_runner(directory, state, cloud, toolchain, {})
    return TinyProject(directory, state, cloud, toolchain, runner)


def make_runner(
    directory: Path, state: Path, cloud: TinyCloud, toolchain: Toolchain, extra: dict[str, str]
) -> StackRunner:
    provider = {"PULUMI_DEBUG_PROVIDERS": f"tiny:{cloud.port}"}
    return StackRunner(
        directory,
        state.parent / "home",
        f"file://{state}",
        {**os.environ, **extra, **provider},
        toolchain,
        passphrase="correct horse",
        local=True,
        records=state.parent / "runs",
    )
