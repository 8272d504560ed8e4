"""What the controller's commands share: their options, and the state that they open."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import typer

from tidegate.vocabulary.hiding import find_secrets
from tidegate.vocabulary.problems import Unavailable

StackOption = Annotated[str, typer.Option("--stack", help="The stack whose outputs are read.")]
ProjectOption = Annotated[
    Path, typer.Option("--project", help="The folder that holds Pulumi.yaml.", file_okay=False)
]
OutputsOption = Annotated[
    str,
    typer.Option("--outputs", help="A file of `pulumi stack output --json` instead; '-': stdin."),
]
BackendOption = Annotated[
    str,
    typer.Option("--backend", help="Where state lies; stacks of `tidegate up` unless stated."),
]
SourcesOption = Annotated[
    Path | None,
    typer.Option("--sources", help="A YAML file of sources: queues, metrics, cluster contexts."),
]
OverlayOption = Annotated[
    list[Path] | None, typer.Option("--overlay", help="A file of your own prices; repeatable.")
]
StateDirOption = Annotated[
    Path | None,
    typer.Option("--state-dir", help="Where local clouds and state live (PROJECT/.tidegate)."),
]
DatabaseOption = Annotated[
    str,
    typer.Option(
        "--database",
        envvar="TIDEGATE_DATABASE",
        help="State: sqlite:///FILE or postgresql://… (default: STATE_DIR/controller.db).",
    ),
]


def open_store(project: Path, state_dir: Path | None, database: str) -> Any:
    """Return the state that a controller wrote, in the schema that it wrote.

    Raises:
        Unavailable: No controller has run here yet, the database does not answer, or another
            version of Tidegate wrote it.
    """
    url = database_url(find_state(project, state_dir), database)
    if not has_database(url):
        path = url.removeprefix("sqlite:///")
        raise Unavailable(f"there is no {path}: no controller has run here yet")
    return open_state(url, migrates=False)


def find_state(project: Path, state_dir: Path | None) -> Path:
    """Return where local clouds and state live."""
    return (state_dir or project.resolve() / ".tidegate").absolute()


def database_url(state: Path, database: str) -> str:
    """Return the database that was named, or the file below the folder of local state."""
    if database:
        return database
    return f"sqlite:///{state / 'controller.db'}"


def has_database(url: str) -> bool:
    """Return whether there is a database to read: a file, or a server that somebody named."""
    path = url.removeprefix("sqlite:///")
    return path == url or Path(path).is_file()


def open_state(url: str, *, migrates: bool = True) -> Any:
    """Return the state in a database, which is made and brought up to date, or left as it is."""
    try:
        learn_secrets(url)
        from tidegate.state.database import open_database
        from tidegate.state.store import DatabaseStore
    except ModuleNotFoundError as error:
        raise explain_lacking(error) from error
    return DatabaseStore(open_database(url, migrates=migrates))


def explain_lacking(error: ModuleNotFoundError) -> Unavailable:
    """Return (not raise) the error for a program that is not installed."""
    return Unavailable(f"the controller needs {error.name}: install tidegate[controller]")


def learn_secrets(database: str = "", variables: Iterable[str] = ()) -> None:
    """Let nothing that is logged, written down or shown hold a secret of this process.

    Args:
        database: A URL that may hold a password.
        variables: Names of variables that hold secrets, whatever they are called.
    """
    from tidegate.controller.logs import remember_secrets

    password = urlsplit(database).password or ""
    named = {"DATABASE_PASSWORD": unquote(password)}
    remember_secrets(find_secrets(named) | find_secrets(os.environ, variables))
