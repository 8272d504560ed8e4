"""The four ways into a check: each gives a graph and what a reader must know of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tidegate.cli.check_files import read_document, read_fixtures
from tidegate.cli.text_files import read_text
from tidegate.engine.collecting import Settings, collect_program
from tidegate.engine.config import Project, read_project
from tidegate.policy.collected import read_collected
from tidegate.policy.earlier import Earlier
from tidegate.policy.event_log import read_event_log
from tidegate.policy.export import read_export
from tidegate.policy.graph import ResourceGraph, StackFacts, find_manifest
from tidegate.policy.preview import read_preview
from tidegate.vocabulary.problems import refuse

DEFAULT_STACK = "dev"
"""What a program believes to be where it has no stack file and nobody names a stack."""

_COMPONENTS = "tidegate:index:"
NOT_DECLARED = (
    "the stack exports a capacity manifest that what was read does not show: what rules find in it "
    "alone is unknown; name the program or the manifest by --declared"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One stack as one way in shows it.

    Attributes:
        source: What was read, for people.
        graph: Its resources.
        notes: What a reader must know of the input.
        is_whole: Whether nothing that would be judged is missing.
        earlier: The stack before the change; None where the way in does not tell.
    """

    source: str
    graph: ResourceGraph
    notes: tuple[str, ...] = ()
    is_whole: bool = True
    earlier: Earlier | None = None


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a check reads from: at most one file, or a program.

    Attributes:
        program: The folder of the program.
        preview: A file of `pulumi preview --json`, or "-".
        export: A file of `pulumi stack export`, or "-".
        events: A file of an event log, or "-".
        stacks: The stacks of the program.
        environment: The environment, where nothing else says it.
        values: Configuration of the program over its files'.
        answers: A file of answers from outside.
        variables: Names of environment variables that the program may see.
        declared: The program's folder or the manifest, for a way in that shows no outputs.
    """

    program: Path | None = None
    preview: str | None = None
    export: str | None = None
    events: str | None = None
    stacks: tuple[str, ...] = ()
    environment: str = ""
    values: dict[str, str] = field(default_factory=dict)
    answers: Path | None = None
    variables: tuple[str, ...] = ()
    declared: Path | None = None


def read_stacks(ways: Ways) -> tuple[Seen, ...]:
    """Return what is to be judged.

    Raises:
        InvalidInput: When more than one way is named, or what is read is not what it should be.
    """
    named = [name for name in ("program", "preview", "export", "events") if getattr(ways, name)]
    if len(named) > 1:
        given = ", ".join(f"--{name}" for name in named)
        raise refuse("tidegate check", "", None, f"was given {given}", "one of them")
    if ways.stacks and named not in ([], ["program"]):
        reason = f"was given with --{named[0]}, which is of one stack already"
        raise refuse("tidegate check", "--stack", ", ".join(ways.stacks), reason, "--program")
    if named in ([], ["program"]):
        if ways.declared is not None:
            reason = "is for what shows no outputs; a program shows its own"
            raise refuse("tidegate check", "--declared", str(ways.declared), reason, "--preview")
        return _see_program(ways)
    seen = _see_file(ways)
    if seen.graph.manifest is not None:
        return (seen,)
    if ways.declared is None:
        return (
            replace(seen, notes=(*seen.notes, NOT_DECLARED)) if _hides_manifest(seen) else seen,
        )
    manifest = _read_declared(ways.declared, seen.graph.stack, ways)
    graph = replace(seen.graph, manifest=manifest, manifest_hidden=False)
    return (replace(seen, graph=graph),)


def _hides_manifest(seen: Seen) -> bool:
    """Return whether a stack that shows no manifest had one, or has components that make one."""
    if seen.earlier is not None and seen.earlier.manifest is not None:
        return True
    return any(each.type.startswith(_COMPONENTS) for each in seen.graph.resources)


def _see_file(ways: Ways) -> Seen:
    if ways.preview:
        return _see_preview(ways.preview, ways.environment)
    if ways.events:
        return _see_events(ways.events, ways.environment)
    source = ways.export or ""
    return Seen(f"export {source}", read_export(source, read_document(source), ways.environment))


def _read_declared(path: Path, stack: StackFacts, ways: Ways) -> Mapping[str, Any] | None:
    """Return the manifest of a stack from a file, or its program; None where that exports none."""
    where = ("tidegate check", "--declared")
    if path.is_dir():
        project = read_project(path.resolve())
        if project.name != stack.project:
            raise refuse(*where, project.name, "is another project", stack.project)
        manifest = _see_stack(project, stack.name, ways).graph.manifest
        if manifest is None:
            return None
    else:
        document = read_document(str(path))
        outputs = document if isinstance(document, Mapping) else {}
        manifest = find_manifest({"capacity": outputs, **outputs})
    if manifest is None:
        expected = "the folder of the stack's program, or a file of its capacity manifest"
        raise refuse(*where, str(path), "tells no manifest", expected)
    told = (str(manifest.get("project")), str(manifest.get("stack")))
    if told != (stack.project, stack.name):
        expected = f"{stack.project}/{stack.name}"
        raise refuse(*where, "/".join(told), "is of another stack", expected)
    return manifest


def _see_preview(source: str, environment: str) -> Seen:
    preview = read_preview(source, read_document(source), environment)
    notes: tuple[str, ...] = ()
    if preview.hidden:
        hidden = f"{preview.hidden} unchanged resources are not in it and were not judged"
        notes = (f"the preview was made without --show-sames: {hidden}",)
    is_whole = not preview.hidden
    return Seen(f"preview {source}", preview.graph, notes, is_whole, preview.earlier)


def _see_events(source: str, environment: str) -> Seen:
    log = read_event_log(source, read_text(Path(source)), environment)
    notes: tuple[str, ...] = ()
    if log.stopped_by:
        missing = "what would have come after is not in its log and was not judged"
        notes = (f"the run was stopped by the policies {', '.join(log.stopped_by)}: {missing}",)
    return Seen(f"events {source}", log.graph, notes, not log.stopped_by, log.earlier)


def _see_program(ways: Ways) -> tuple[Seen, ...]:
    project = read_project((ways.program or Path()).resolve())
    stacks = ways.stacks or project.stacks() or (DEFAULT_STACK,)
    return tuple(_see_stack(project, stack, ways) for stack in stacks)


def _see_stack(project: Project, stack: str, ways: Ways) -> Seen:
    settings = Settings(
        stack=stack,
        fixtures=read_fixtures(ways.answers),
        config=ways.values,
        variables=ways.variables,
    )
    document = collect_program(project, settings, os.environ)
    where = f"program {project.name}"
    return Seen(where, read_collected(where, document, ways.environment))
