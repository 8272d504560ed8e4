"""`tidegate catalog refresh`: today's public prices, from the clouds' own lists."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.feeds.overlay_text import (
    PriceRow,
    merge_rows,
    render_overlay,
    rows_of_overlay,
)
from tidegate.catalog.load import load_catalog
from tidegate.catalog.overlay import parse_overlay
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.refresh_terms import COMMAND, KEY_VARIABLE
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import refuse

if TYPE_CHECKING:
    from tidegate.cli.price_fetching import Fetched


def refresh(
    output: Annotated[Path, typer.Option(help="The overlay file to write.")],
    cloud: Annotated[
        list[Cloud] | None, typer.Option(help="Only this cloud; repeat it for several.")
    ] = None,
    region: Annotated[
        list[str] | None, typer.Option(help="Only this region; repeat it for several.")
    ] = None,
    gcp_api_key: Annotated[
        str, typer.Option(envvar=KEY_VARIABLE, help="Google's billing catalog wants an API key.")
    ] = "",
    output_format: FormatOption = OutputFormat.TABLE,
) -> None:
    """Fetch public prices into an overlay file; the shipped catalog stays as it is.

    Rows of places that could not be fetched are kept from the earlier file. Exit code 0 when all
    came, 1 when some place failed, 2 on bad input.
    """
    # The HTTP client is loaded only here: listing prices starts without it.
    from tidegate.cli.price_fetching import fetch_all, plan_fetch
    from tidegate.clouds.fetching import open_fetcher

    catalog = load_catalog()
    wanted = plan_fetch(catalog, tuple(cloud or ()), tuple(region or ()), gcp_api_key)
    earlier = read_earlier(output, catalog)
    day = datetime.now(UTC).date()
    with open_fetcher(time.sleep) as fetcher, _progress(len(wanted.places)) as advance:
        fetched = fetch_all(wanted, fetcher, catalog, day, advance)
    if fetched.done:
        write_rows(output, merge_rows(fetched.rows, earlier, fetched.done), catalog)
    report(fetched, output, output_format)
    if fetched.failed:
        raise typer.Exit(1)


def read_earlier(output: Path, catalog: Catalog) -> list[PriceRow]:
    """Return the rows of the file that is to be written anew; none when there is no such file.

    Raises:
        InvalidInput: When the file is no price overlay, or holds what only a person can have
            written, which a refresh would lose.
    """
    if not output.exists():
        return []
    overlay = parse_overlay(output.read_text(encoding="utf-8"), str(output), catalog)
    own = [row for row in overlay.rows if row.price.negotiated]
    if own or overlay.rates or overlay.types or overlay.spot:
        reason = "holds negotiated prices or other entries of your own, which would be lost"
        raise refuse(COMMAND, "--output", str(output), reason, "a file of its own")
    return rows_of_overlay(overlay)


def write_rows(output: Path, rows: list[PriceRow], catalog: Catalog) -> None:
    """Write the file whole or not at all, after reading it back as `load_catalog` would."""
    text = render_overlay(rows, catalog)
    parse_overlay(text, str(output), catalog)
    output.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def report(fetched: Fetched, output: Path, output_format: OutputFormat) -> None:
    """Say on stderr what came, what was skipped and which places failed; JSON on stdout."""
    if fetched.done:
        _say(f"{len(fetched.rows)} prices written to {output}")
    for reason, count in sorted(fetched.skipped.items()):
        _say(f"skipped {count}: {reason}")
    for (cloud, region), reason in fetched.failed.items():
        _say(f"failed {cloud.value} {region}: {reason}")
    if fetched.failed and not fetched.done:
        _say(f"nothing was written; {output} is as it was")
    if output_format is OutputFormat.JSON:
        failed = [
            {"cloud": cloud.value, "region": region, "reason": reason}
            for (cloud, region), reason in fetched.failed.items()
        ]
        print_json(
            {
                "prices": len(fetched.rows),
                "written": str(output) if fetched.done else None,
                "skipped": dict(sorted(fetched.skipped.items())),
                "failed": failed,
            }
        )


def _say(text: str) -> None:
    typer.echo(text, err=True)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar on stderr while a person watches; nothing in CI."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("prices", total=total)
        started = False

        def advance(what: str) -> None:
            nonlocal started
            progress.update(task, description=what, advance=1 if started else 0)
            started = True

        yield advance
