"""`tidegate waive`: write a waiver, which somebody answers for until a day."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer
import yaml

from tidegate.cli.check_files import WAIVERS_FILE, read_waivers
from tidegate.opa.pack import find_pack, load_rules
from tidegate.policy.waivers import Waiver, dump_waiver, parse_waivers
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse

app = typer.Typer(add_completion=False)

_HEAD = (
    "# Failures that somebody answers for. Written by `tidegate waive`, read by `tidegate check`.\n"
)


@app.command(
    epilog=(
        "Example: tidegate waive TG-LBL-001 "
        "'urn:pulumi:prod::vision::aws:s3/bucket:Bucket::legacy' "
        "--owner ml-platform --reason 'moves to storage tiers in Q1' --expires 2027-03-31"
    )
)
def waive(
    rule: Annotated[str, typer.Argument(help="The rule's id.")],
    urn: Annotated[
        str,
        typer.Argument(help="The resource's URN, or a pattern of whole URNs with * and ?."),
    ],
    owner: Annotated[str, typer.Option(help="Who answers for it.")],
    reason: Annotated[str, typer.Option(help="Why it is let through.")],
    expires: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Its last day.")],
    file: Annotated[Path, typer.Option(help="The file of waivers.")] = Path(WAIVERS_FILE),
) -> None:
    """Add a waiver to a file of waivers. Exit code 0, or 2 when it would not hold."""
    rules = load_rules(find_pack())
    last_day = _parse_day(expires)
    if last_day < datetime.now(UTC).date():
        raise refuse("waiver", "--expires", expires, "is over already", "a day to come")
    waiver = Waiver(rule, urn, owner, reason, last_day)
    present = read_waivers(file, Path(), rules) if file.is_file() else ()
    same = next((each for each in present if (each.rule, each.urn) == (rule, urn)), None)
    if same is not None:
        reason = f"is waived already, until {same.expires}"
        raise InvalidInput(Problem(str(file), rule, urn, reason, "that entry, changed"))
    # What would be refused when it is read is refused before it is written.
    parse_waivers("waiver", {"waivers": [dump_waiver(waiver)]}, rules)
    _append(file, waiver)
    typer.echo(f"{file}: waives {rule} for {urn} until {last_day}")


def _append(file: Path, waiver: Waiver) -> None:
    """Add an entry at the end, so that what people wrote in the file stays as it is."""
    entry = yaml.safe_dump([dump_waiver(waiver)], sort_keys=False, allow_unicode=True, width=1000)
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    kept = text if yaml.safe_load(text or "{}") else f"{text or _HEAD}waivers:\n"
    indent = "" if _is_flush(kept) else "  "
    lines = "".join(f"{indent}{line}" for line in entry.splitlines(keepends=True))
    try:
        file.write_text(f"{kept.rstrip()}\n{lines}", encoding="utf-8")
    except OSError as error:
        raise refuse(str(file), "", None, f"cannot be written ({error.strerror})") from error


def _is_flush(text: str) -> bool:
    """Return whether the list's entries stand as far left as its key, as YAML allows."""
    return any(line.startswith("- ") for line in text.splitlines())


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise refuse("waiver", "--expires", text, "is no day", "2027-03-31") from error
