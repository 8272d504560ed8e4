"""Which stack the controller works on: its outputs, from a file or from the Pulumi CLI."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

import yaml

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.cli.controller_messages import VARIABLE as WEBHOOK_VARIABLE
from tidegate.cli.controller_messages import find_webhook
from tidegate.cli.controller_notices import build_notices
from tidegate.cli.controller_options import find_state, learn_secrets
from tidegate.cli.controller_queues import build_runs
from tidegate.cli.controller_sources import WiredSources, build_sources
from tidegate.cli.controller_use import build_uses
from tidegate.cli.text_files import read_text
from tidegate.clouds.bound_pools import BoundPools
from tidegate.clouds.bound_reapables import BoundReapables
from tidegate.controller.wiring import Wiring, build_wiring
from tidegate.localclouds.endpoints import Endpoints, read_endpoints
from tidegate.localclouds.environment import KUBECONFIG_FILE, local_environment
from tidegate.manifest.bindings import read_bound_pools, read_bound_reapables
from tidegate.manifest.read import read_manifest
from tidegate.manifest.reapables import list_reapables
from tidegate.sources.config import SourceList, parse_sources
from tidegate.vocabulary.problems import Unavailable, refuse

COMMAND = "controller"
REREAD_SECONDS = 60.0
"""How old the outputs of a stack may be before the Pulumi CLI is asked again."""
ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class StackChoice:
    """What the user said.

    Attributes:
        stack: The stack's name.
        project: Where Pulumi.yaml lies.
        outputs: A file of `pulumi stack output --json`, "-" for standard input; empty asks Pulumi.
        backend: Where state lies; empty for the stacks of `tidegate up`.
        sources: The file that names sources of demand; None without one.
        overlay: Files of own prices.
        state_dir: Where local clouds and state live; None for PROJECT/.tidegate.
    """

    stack: str
    project: Path
    outputs: str
    backend: str
    sources: Path | None
    overlay: Sequence[Path]
    state_dir: Path | None

    @property
    def state(self) -> Path:
        """Where local clouds and state live."""
        return find_state(self.project, self.state_dir)


class StackFeed:
    """Returns the stack as it is declared now; what did not change is not wired anew."""

    def __init__(self, choice: StackChoice) -> None:
        """Prepare.

        Raises:
            InvalidInput: The sources' file or the overlay cannot be taken.
        """
        self._choice = choice
        self._sources = _read_sources(choice.sources)
        asked = (*self._sources.sources, *self._sources.utilisation)
        tokens = [getattr(source, "token_environment", "") for source in asked]
        learn_secrets(variables=[*tokens, WEBHOOK_VARIABLE])
        self._messenger = find_webhook()
        self._local = None if choice.backend else use_local_clouds(choice.state / "local")
        self._fetch = _build_fetch(choice, self._local)
        # Pulumi answers while the catalog and the rest of the program are loaded.
        self._first: Future[Any] | None = _start(self._fetch)
        self._catalog: Catalog = load_catalog(list(choice.overlay) or None)
        self._document: Any = None
        self._wiring: Wiring | None = None
        self._read_at = 0.0

    def __call__(self) -> Wiring:
        """Return the stack, wired.

        Raises:
            InvalidInput: Its outputs hold no manifest.
            Unavailable: They cannot be read.
        """
        fresh = time.monotonic() - self._read_at < REREAD_SECONDS
        if self._wiring is not None and fresh and not self._choice.outputs:
            return self._wiring
        first, self._first = self._first, None
        document = first.result() if first else self._fetch()
        if self._wiring is None or document != self._document:
            self._wiring = self._wire(document)
            self._document = document
        self._read_at = time.monotonic()
        return self._wiring

    def _wire(self, document: Any) -> Wiring:
        where = self._choice.outputs or f"stack {self._choice.stack}"
        manifest = read_manifest(where, document)
        bindings = read_bound_pools(document)
        if not bindings and manifest.pools:
            expected = "the whole of `pulumi stack output --json`"
            raise refuse(where, "bindings", None, "is missing: no pool can be found", expected)
        urls = local_urls(self._local)
        wired: WiredSources = build_sources(manifest, self._sources.sources, self._catalog, urls)
        pools = BoundPools(manifest.pools, bindings, urls)
        notices = build_notices(manifest, bindings, self._sources.notices, urls)
        made = build_wiring(
            manifest, self._catalog, pools, wired.sources, wired, wired.clusters, notices
        )
        bound = read_bound_reapables(document)
        return replace(
            made,
            runs=build_runs(self._sources.sources),
            reapables=BoundReapables([*list_reapables(manifest)], bound, urls),
            use=build_uses(manifest, bound, self._sources.utilisation, urls),
            messenger=self._messenger,
        )


def _start(call: Callable[[], Any]) -> Future[Any]:
    """Return the answer to come of a call in a thread that keeps the program from nothing."""
    coming: Future[Any] = Future()

    def answer() -> None:
        try:
            coming.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised where the answer is taken
            coming.set_exception(error)

    threading.Thread(target=answer, name="stack outputs", daemon=True).start()
    return coming


def use_local_clouds(state_dir: Path) -> Endpoints | None:
    """Point the SDKs at the local clouds where these run; real credentials are dropped then."""
    endpoints = read_endpoints(state_dir)
    if endpoints is None:
        return None
    wanted = local_environment(endpoints, os.environ)
    os.environ.clear()
    os.environ.update(wanted)
    url = f"{endpoints.kubernetes_url}/kubeconfig"
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=ANSWER_SECONDS) as answer:
            found = json.load(answer)
    except (OSError, ValueError) as error:
        raise Unavailable(f"the local clouds do not answer: {error}") from error
    path = state_dir / KUBECONFIG_FILE
    draft = path.with_suffix(".draft")
    draft.write_text(yaml.safe_dump(found, sort_keys=False), encoding="utf-8")
    draft.replace(path)
    return endpoints


def local_urls(local: Endpoints | None) -> dict[str, str]:
    """Return where the local clouds answer; as a shell says that `tidegate local env` prepared."""
    if local is not None:
        return {"gcp": local.gcp_url, "azure": local.azure_url}
    if "TIDEGATE_LOCAL" not in os.environ:
        return {}
    names = {"gcp": "TIDEGATE_LOCAL_GCP_URL", "azure": "TIDEGATE_LOCAL_AZURE_URL"}
    return {cloud: os.environ[name] for cloud, name in names.items() if name in os.environ}


def _build_fetch(choice: StackChoice, local: Endpoints | None) -> Callable[[], Any]:
    """Return what reads the stack's outputs."""
    if choice.outputs == "-":
        text = sys.stdin.read()
        return lambda: _parse("standard input", text)
    if choice.outputs:
        path = Path(choice.outputs)
        return lambda: _parse(str(path), read_text(path))
    if not (choice.project / "Pulumi.yaml").is_file():
        expected = "the folder of a Pulumi project, or --outputs"
        raise refuse(COMMAND, "--project", str(choice.project), "holds no Pulumi.yaml", expected)
    runner = _build_runner(choice, local)
    return lambda: _ask_outputs(runner, choice.stack)


def _ask_outputs(runner: Any, stack: str) -> Any:
    from tidegate.engine.stack import PulumiFailed

    try:
        return runner.outputs(stack)
    except PulumiFailed as failed:
        if "no stack named" not in str(failed):
            raise
        reason = "was not made with this backend"
        expected = "a stack that `tidegate up STACK` made, or --backend"
        raise refuse(COMMAND, "--stack", stack, reason, expected) from failed


def _build_runner(choice: StackChoice, local: Endpoints | None) -> Any:
    # The engine is loaded only where the Pulumi CLI is asked.
    from tidegate.cli.local_pulumi import backend_url, build_local_runner
    from tidegate.engine.stack import StackRunner
    from tidegate.engine.toolchain import find_toolchain

    root = choice.project.resolve()
    toolchain = find_toolchain(root)
    if local is not None:
        return build_local_runner(root, choice.state, local, toolchain)
    if choice.backend in ("", backend_url(choice.state)):
        expected = "`tidegate local up`, --outputs, or --backend for stacks of your own"
        raise refuse(COMMAND, "--stack", choice.stack, "its local clouds do not run", expected)
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    return StackRunner(root, home, choice.backend, dict(os.environ), toolchain)


def _read_sources(path: Path | None) -> SourceList:
    if path is None:
        return SourceList()
    try:
        document = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        detail = " ".join(str(error).split())
        raise refuse(str(path), "", None, f"is no YAML: {detail}", "a file of sources") from error
    return parse_sources(str(path), document)


def _parse(where: str, text: str) -> Any:
    try:
        return json.loads(text, parse_float=str)
    except ValueError as error:
        expected = "the output of `pulumi stack output --json`"
        raise refuse(where, "", None, f"is not JSON ({error})", expected) from error
