"""Bringing a stack back to a known state after a run that was killed.

Lock, unreadable state, operations that never ended, things created but not recorded: each is
found out and put right before the next run, which then converges and makes nothing twice.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tidegate.engine.checkpoint import (
    Deployment,
    clear_pending,
    find_strangers,
    forget,
    list_pending,
    list_pending_creates,
    record_creations,
)
from tidegate.engine.isolation import state_directory
from tidegate.engine.locks import parse_holders
from tidegate.engine.pending import CannotTell, FindExisting, PendingCreate
from tidegate.engine.results import Outcome, RunResult
from tidegate.engine.state_files import has_copies, restore_state
from tidegate.vocabulary.problems import Unavailable

_POLL_SECONDS = 0.5
_ATTEMPTS = 5


class RecoveryFailed(Unavailable):
    """A stack could not be brought back; says what was tried and what the user can do."""


class _Locked(RuntimeError):
    """The stack could not be touched for a lock; carries what the CLI said."""


class StackAccess(Protocol):
    """What recovery needs of one stack."""

    backend_url: str
    project: str
    stack: str

    def read_state(self) -> tuple[dict[str, Any] | None, Outcome, str]:
        """Export the state: (document or None when it failed, outcome, what the CLI said)."""
        ...

    def write_state(self, path: Path) -> tuple[Outcome, str]:
        """Import a state from a file."""
        ...

    def refresh_only(self, urns: Sequence[str]) -> RunResult:
        """Read these resources from their clouds."""
        ...

    def drop_lock(self) -> None:
        """Remove the lock (`pulumi cancel`)."""
        ...


@dataclass(slots=True)
class Recovery:
    """What was put right; every list is empty when nothing was wrong.

    Attributes:
        notes: What was done, in order, as sentences for a person.
        adopted: Resources that had been created and were recorded now.
        dropped: Creations that had not happened.
        refreshed: Resources that were read again for an operation that never ended.
        left_alone: Resources of the same name that belong to somebody else.
    """

    notes: list[str] = field(default_factory=list)
    adopted: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    left_alone: list[str] = field(default_factory=list)

    @property
    def was_needed(self) -> bool:
        """Whether anything was put right."""
        return bool(self.notes)


def recover_stack(
    access: StackAccess,
    find_existing: FindExisting,
    *,
    wait_seconds: float,
    report: Callable[[str], None],
) -> Recovery:
    """Put a stack right; do nothing, quickly, when the last run ended well.

    Args:
        access: The stack.
        find_existing: Says what a pending creation is called, if it happened.
        wait_seconds: How long to wait for a run that still lives.
        report: Told each thing that is done, as it is done.

    Raises:
        RecoveryFailed: It needs a person.
    """
    recovery = Recovery()

    def note(sentence: str) -> None:
        recovery.notes.append(sentence)
        report(sentence)

    for _ in range(_ATTEMPTS):
        document = _read(access, note)
        if document is None or not list_pending(document["deployment"]):
            return recovery
        try:
            _settle(access, document, find_existing, recovery, note)
        except _Locked as refusal:
            # Others may be at work: whatever was decided stands on a state that will change.
            release_lock(access, str(refusal), wait_seconds, note)
        else:
            return recovery
    raise RecoveryFailed(f"stack {access.stack} was locked again and again by other runs")


def release_lock(
    access: StackAccess, refusal: str, wait_seconds: float, note: Callable[[str], None]
) -> None:
    """Remove the lock that a refusal tells of if its holder is gone; wait while it lives.

    Args:
        access: The stack.
        refusal: What the CLI said.
        wait_seconds: How long to wait for a holder that lives.
        note: Told what is done.

    Raises:
        RecoveryFailed: The holder cannot be judged from here, or lives on.
    """
    holders = parse_holders(refusal)
    if not holders:
        raise RecoveryFailed(
            f"stack {access.stack} is locked, and its backend does not say by whom: wait for the "
            f"other run, or end it with `pulumi cancel --stack {access.stack}`"
        )
    deadline = time.monotonic() + wait_seconds
    waiting = False
    while alive := [holder for holder in holders if not holder.is_gone]:
        elsewhere = [holder for holder in alive if not holder.is_here]
        named = ", ".join(str(holder) for holder in alive)
        if elsewhere or time.monotonic() >= deadline:
            raise RecoveryFailed(
                f"stack {access.stack} is locked by {named}. If that run is gone, remove its lock "
                f"with `pulumi cancel --stack {access.stack}`"
            )
        if not waiting:
            note(f"Waiting for the run that holds the stack: {named}")
            waiting = True
        time.sleep(_POLL_SECONDS)
    if waiting:
        return  # it ended; if it was killed, the next refusal names a holder that is gone
    note(f"Removed the lock of a run that is gone: {', '.join(map(str, holders))}")
    access.drop_lock()


def _read(access: StackAccess, note: Callable[[str], None]) -> dict[str, Any] | None:
    """Export the state, restoring it first where it cannot be read; None for a new stack."""
    document, outcome, text = access.read_state()
    if document is not None:
        return document
    folder = state_directory(access.backend_url)
    lost = outcome is Outcome.STACK_NOT_FOUND
    if lost and not (folder and has_copies(folder, access.project, access.stack)):
        return None
    if not lost and outcome is not Outcome.STATE_UNREADABLE:
        raise RecoveryFailed(f"the state of {access.stack} could not be read: {text.strip()}")
    if "integrity" in text:
        raise RecoveryFailed(
            f"the state of {access.stack} contradicts itself; look at it with `pulumi state "
            f"repair --stack {access.stack}`: {text.strip()}"
        )
    if folder is None:
        raise RecoveryFailed(
            f"the state of {access.stack} in {access.backend_url} cannot be read: restore an "
            f"earlier version of the object there ({text.strip()})"
        )
    for sentence in restore_state(folder, access.project, access.stack).sentences():
        note(sentence)
    document, _, text = access.read_state()
    if document is None:
        raise RecoveryFailed(f"the restored state cannot be read either: {text.strip()}")
    return document


def _settle(
    access: StackAccess,
    document: Mapping[str, Any],
    find_existing: FindExisting,
    recovery: Recovery,
    note: Callable[[str], None],
) -> None:
    deployment: Deployment = document["deployment"]
    creates = list_pending_creates(deployment)
    identifiers, unknown = _identify(creates, find_existing)
    if unknown:
        raise RecoveryFailed(_ask_a_person(access.stack, unknown))
    pending = list_pending(deployment)
    others = [found.urn for found in pending if found.kind != "creating"]
    if identifiers:
        _write(access, {**document, "deployment": record_creations(deployment, identifiers)})
    targets = sorted({*identifiers, *(urn for urn in others if _is_recorded(deployment, urn))})
    if targets:
        result = access.refresh_only(targets)
        if result.outcome is Outcome.LOCKED:
            raise _Locked(result.output)
        if not result.succeeded:
            raise RecoveryFailed(f"what was interrupted could not be read: {result.explain()}")
    _account(access, creates, identifiers, recovery, note)
    recovery.refreshed = sorted(set(others))
    for urn in recovery.refreshed:
        note(f"Read again what was interrupted: {_name(urn)}")


def _account(
    access: StackAccess,
    creates: Sequence[PendingCreate],
    identifiers: Mapping[str, str],
    recovery: Recovery,
    note: Callable[[str], None],
) -> None:
    """Say which creations had happened; give back what is not ours."""
    document, _, text = access.read_state()
    if document is None:
        raise RecoveryFailed(f"the state cannot be read after recovery: {text.strip()}")
    deployment = document["deployment"]
    adopted = [pending for pending in creates if pending.urn in identifiers]
    strangers = find_strangers(deployment, adopted)
    _write(access, {**document, "deployment": clear_pending(forget(deployment, strangers))})
    urns = {
        resource["urn"]
        for resource in deployment.get("resources") or ()
        if not resource.get("delete")
    }
    for pending in creates:
        name = _name(pending.urn)
        if pending.urn in strangers:
            recovery.left_alone.append(pending.urn)
            note(f"Left alone: {name} exists as {identifiers[pending.urn]} with other labels")
        elif pending.urn in identifiers and pending.urn in urns:
            recovery.adopted.append(pending.urn)
            note(f"Recorded what had been created: {name} ({identifiers[pending.urn]})")
        else:
            recovery.dropped.append(pending.urn)
            note(f"Not created after all: {name}")


def _identify(
    creates: Sequence[PendingCreate], find_existing: FindExisting
) -> tuple[dict[str, str], list[tuple[PendingCreate, str]]]:
    identifiers: dict[str, str] = {}
    unknown: list[tuple[PendingCreate, str]] = []
    for pending in creates:
        try:
            identifier = find_existing(pending)
        except CannotTell as error:
            unknown.append((pending, str(error)))
        else:
            if identifier is not None:
                identifiers[pending.urn] = identifier
    return identifiers, unknown


def _ask_a_person(stack: str, unknown: Sequence[tuple[PendingCreate, str]]) -> str:
    lines = [f"  {pending.urn}\n    {reason}" for pending, reason in unknown]
    return (
        f"stack {stack}: the last run was killed while creating these, and nobody here can tell "
        "whether they exist:\n" + "\n".join(lines) + "\nLook in the cloud's console. What is not "
        f"there, `pulumi refresh --clear-pending-creates --stack {stack}` forgets. What is there: "
        "forget it so, then `pulumi import TYPE NAME ID`; or delete it in the console."
    )


def _write(access: StackAccess, document: Mapping[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        outcome, text = access.write_state(path)
    if outcome is Outcome.LOCKED:
        raise _Locked(text)
    if outcome is not Outcome.SUCCEEDED:
        raise RecoveryFailed(f"the corrected state could not be written: {text.strip()}")


def _is_recorded(deployment: Deployment, urn: str) -> bool:
    return any(resource["urn"] == urn for resource in deployment.get("resources") or ())


def _name(urn: str) -> str:
    kind, name = urn.rsplit("::", 2)[-2:]
    return f"{name} ({kind.rsplit('$', 1)[-1]})"
