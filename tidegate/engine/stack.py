"""Running the Pulumi CLI on a stack: preview, up, refresh, destroy, outputs, recovery."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from tidegate.engine.cli_process import OnEvent, PulumiCli
from tidegate.engine.config import copy_project_settings, read_project
from tidegate.engine.isolation import (
    mark_local_state,
    refuse_local_leftovers,
    state_directory,
)
from tidegate.engine.outcomes import decide_outcome
from tidegate.engine.pending import FindExisting, find_by_inputs
from tidegate.engine.recovery import Recovery, RecoveryFailed, recover_stack, release_lock
from tidegate.engine.results import Outcome, RunResult
from tidegate.engine.toolchain import Toolchain
from tidegate.vocabulary.problems import Unavailable

_KEPT_RECORDS = 40
_DYING_SECONDS = 5.0  # a killed run ends only when its last write to a slow disk has
_WAIT_SECONDS = 600.0  # for another run that lives; Kubernetes clusters take many minutes
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Options:
    """How an operation is to run.

    Attributes:
        policy_packs: Folders of policy packs to judge it.
        policy_configs: One JSON file a pack, in the same order, or none at all.
        skip_preview: Do not preview first. With the preview, what policies refuse stops the run
            before anything is created.
        targets: Only these URNs.
        parallel: Operations at once; None for the CLI's own default.
        exclude_protected: For `destroy`: leave what is protected.
        arguments: Further arguments of the CLI, as they are.
    """

    policy_packs: Sequence[Path] = ()
    policy_configs: Sequence[Path] = ()
    skip_preview: bool = False
    targets: Sequence[str] = ()
    parallel: int | None = None
    exclude_protected: bool = False
    arguments: Sequence[str] = ()


_PLAIN = Options()


class StackRunner:
    """One project with one backend. Real and local runs are kept apart from the start.

    A local run (`local=True`) keeps what the CLI writes into configuration files, and its state,
    away from the project's own.
    """

    def __init__(
        self,
        project_dir: Path,
        home: Path,
        backend_url: str,
        environment: Mapping[str, str],
        toolchain: Toolchain,
        *,
        passphrase: str | None = None,
        local: bool = False,
        records: Path | None = None,
    ) -> None:
        """Prepare; nothing is run yet.

        Args:
            project_dir: Where `Pulumi.yaml` lies.
            home: PULUMI_HOME.
            backend_url: Where state lies.
            environment: What the CLI inherits.
            toolchain: The programs.
            passphrase: Protects the stacks' secrets; None keeps what the environment says.
            local: Whether the run is against the embedded local clouds.
            records: Where each run's events are kept as JSON lines; None keeps none.

        Raises:
            InvalidInput: No project; or leftovers of the local clouds before a real run.
        """
        self.project = read_project(project_dir.absolute())
        self.backend_url = backend_url
        self.is_local = local
        self._records = records
        self._private = home / "projects" / self.project.name if local else None
        if local:
            mark_local_state(backend_url)
        else:
            refuse_local_leftovers(environment, backend_url)
        folder = state_directory(backend_url)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        self._cli = PulumiCli(
            toolchain.pulumi.path,
            toolchain.environment(home, backend_url, environment, passphrase),
        )

    def preview(
        self, stack: str, options: Options = _PLAIN, on_event: OnEvent | None = None
    ) -> RunResult:
        """Say what `up` would do. Takes no lock, and recovers nothing."""
        self.ensure_stack(stack)
        return self._run("preview", stack, _judging(options), on_event)

    def up(
        self, stack: str, options: Options = _PLAIN, on_event: OnEvent | None = None
    ) -> RunResult:
        """Create, change and delete what is declared."""
        self.ensure_stack(stack)
        return self._run_unlocked("up", stack, ["--yes", *_judging(options)], on_event)

    def refresh(
        self, stack: str, options: Options = _PLAIN, on_event: OnEvent | None = None
    ) -> RunResult:
        """Read every resource from its cloud into the state."""
        return self._run_unlocked("refresh", stack, ["--yes", *_moving(options)], on_event)

    def destroy(
        self, stack: str, options: Options = _PLAIN, on_event: OnEvent | None = None
    ) -> RunResult:
        """Delete what the stack made."""
        return self._run_unlocked("destroy", stack, ["--yes", *_moving(options)], on_event)

    def outputs(self, stack: str, *, show_secrets: bool = False) -> dict[str, Any]:
        """Read the stack's outputs.

        Raises:
            PulumiFailed: The CLI could not.
        """
        flags = ["--show-secrets"] if show_secrets else []
        outputs: dict[str, Any] = self._ask_json("stack", "output", "--json", *flags, stack=stack)
        return outputs

    def export(self, stack: str) -> dict[str, Any]:
        """Read the stack's whole state, secrets encrypted.

        Raises:
            PulumiFailed: The CLI could not.
        """
        document: dict[str, Any] = self._ask_json("stack", "export", stack=stack)
        return document

    def import_state(self, stack: str, path: Path) -> str:
        """Replace the stack's whole state with an exported one; return what the CLI said.

        Raises:
            PulumiFailed: The CLI could not.
        """
        return self._ask("stack", "import", "--file", str(path), stack=stack)

    def ensure_stack(self, stack: str) -> None:
        """Create the stack where there is none.

        Raises:
            InvalidInput: A local run of a stack without a configuration file.
            PulumiFailed: The CLI could not.
        """
        if self._private is not None:
            copy_project_settings(self.project, stack, self._private)
        self._ask("stack", "select", "--create", stack=stack)

    def recover(
        self,
        stack: str,
        find_existing: FindExisting = find_by_inputs,
        *,
        wait_seconds: float = _WAIT_SECONDS,
        report: Callable[[str], None] = lambda _: None,
    ) -> Recovery:
        """Put right what a killed run left behind; quick when there is nothing.

        Args:
            stack: The stack; one that does not exist needs nothing.
            find_existing: Says what a pending creation is called, if it happened.
            wait_seconds: How long to wait for a run that still lives.
            report: Told each thing that is done.

        Raises:
            RecoveryFailed: It needs a person; the message says what for.
            StateLost: The state is unreadable and no copy is.
        """
        access = _Access(self, stack)
        return recover_stack(access, find_existing, wait_seconds=wait_seconds, report=report)

    def _run_unlocked(
        self, command: str, stack: str, arguments: Sequence[str], on_event: OnEvent | None
    ) -> RunResult:
        """Run an operation; when a lock refuses it, remove one that is stale and run again."""
        for _ in range(_ATTEMPTS):
            result = self._run(command, stack, arguments, on_event)
            if result.outcome is not Outcome.LOCKED:
                break
            try:
                release_lock(_Access(self, stack), result.output, _DYING_SECONDS, lambda _: None)
            except RecoveryFailed:
                break  # the result says who holds it
        return result

    def _run(
        self, command: str, stack: str, arguments: Sequence[str], on_event: OnEvent | None
    ) -> RunResult:
        return self._cli.run(
            self.project.directory,
            command,
            [*arguments, "--stack", stack, *self._config_flags(stack)],
            on_event=on_event,
            record=self._next_record(stack, command),
        )

    def _config_flags(self, stack: str) -> list[str]:
        if self._private is None:
            return []
        return ["--config-file", str(self._private / self.project.config_file(stack).name)]

    def _ask(self, *arguments: str, stack: str) -> str:
        # Where the CLI would write into configuration files it works in the private folder.
        folder = self._private or self.project.directory
        if self._private is not None and not (self._private / "Pulumi.yaml").is_file():
            copy_project_settings(self.project, stack, self._private)
        done = self._cli.ask(folder, *arguments, "--stack", stack)
        if done.returncode != 0:
            text = done.stdout + done.stderr
            outcome = decide_outcome(done.returncode, text, (), (), ())
            raise PulumiFailed(" ".join(arguments), stack, outcome, text)
        return done.stdout

    def _ask_json(self, *arguments: str, stack: str) -> Any:
        return json.loads(self._ask(*arguments, stack=stack))

    def _next_record(self, stack: str, command: str) -> Path | None:
        if self._records is None:
            return None
        self._records.mkdir(parents=True, exist_ok=True)
        for old in sorted(self._records.glob("*.jsonl"))[: -_KEPT_RECORDS + 1]:
            old.unlink(missing_ok=True)
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
        return self._records / f"{moment}-{stack}-{command}.jsonl"


class PulumiFailed(Unavailable):
    """A short command of the CLI failed.

    Attributes:
        outcome: Of what.
        text: What the CLI printed.
    """

    def __init__(self, command: str, stack: str, outcome: Outcome, text: str) -> None:
        self.outcome = outcome
        self.text = text
        super().__init__(f"pulumi {command} --stack {stack}: {text.strip()}")


class _Access:
    """One stack, as recovery sees it."""

    def __init__(self, runner: StackRunner, stack: str) -> None:
        self._runner = runner
        self.backend_url = runner.backend_url
        self.project = runner.project.name
        self.stack = stack

    def read_state(self) -> tuple[dict[str, Any] | None, Outcome, str]:
        """Export the state."""
        try:
            return self._runner.export(self.stack), Outcome.SUCCEEDED, ""
        except PulumiFailed as error:
            return None, error.outcome, error.text

    def write_state(self, path: Path) -> tuple[Outcome, str]:
        """Import a state."""
        try:
            text = self._runner.import_state(self.stack, path)
        except PulumiFailed as error:
            return error.outcome, error.text
        return Outcome.SUCCEEDED, text

    def refresh_only(self, urns: Sequence[str]) -> RunResult:
        """Read these resources from their clouds."""
        options = Options(skip_preview=True, targets=urns)
        return self._runner._run("refresh", self.stack, ["--yes", *_moving(options)], None)  # noqa: SLF001 - one module, two faces

    def drop_lock(self) -> None:
        """Remove the lock."""
        self._runner._ask("cancel", "--yes", stack=self.stack)  # noqa: SLF001 - one module, two faces


def _judging(options: Options) -> list[str]:
    """Arguments of preview and up."""
    return [
        *_repeat("--policy-pack", options.policy_packs),
        *_repeat("--policy-pack-config", options.policy_configs),
        *_moving(options),
    ]


def _moving(options: Options) -> list[str]:
    """Arguments that every operation takes."""
    arguments = _repeat("--target", options.targets)
    if options.skip_preview:
        arguments.append("--skip-preview")
    if options.parallel is not None:
        arguments += ["--parallel", str(options.parallel)]
    if options.exclude_protected:
        arguments.append("--exclude-protected")
    return [*arguments, *options.arguments]


def _repeat(flag: str, values: Sequence[object]) -> list[str]:
    pairs: Iterator[tuple[str, str]] = ((flag, str(value)) for value in values)
    return list(chain.from_iterable(pairs))
