"""`tidegate review`: from what stacks declare and what was used to the next pull request."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.instruments import InstrumentOffer
from tidegate.catalog.load import load_catalog
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.manifest.model import Manifest
from tidegate.manifest.read import read_manifest_text
from tidegate.review.remarks import Remark
from tidegate.vocabulary.problems import InvalidInput, Unavailable, refuse

if TYPE_CHECKING:
    from tidegate.review.commitments import CommitmentReview
    from tidegate.review.explain import Explanation

app = typer.Typer(
    help="Reviews: what is declared and what was used become the next change to declare.",
    no_args_is_help=True,
    add_completion=False,
)

STDIN = "-"
ROWS_SHOWN = 24


class ReviewFormat(StrEnum):
    """How a review is printed."""

    MARKDOWN = "markdown"
    JSON = "json"


StackOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--stack",
        help="What `pulumi stack output --json` printed, or a manifest; repeat it for several.",
    ),
]
UsageOption = Annotated[
    Path,
    typer.Option(
        "--usage",
        help="Hourly use as CSV: hour, pool, nodes and, where needed, "
        "instance_type, cloud, region, simulated.",
    ),
]
OverlayOption = Annotated[
    list[Path] | None,
    typer.Option("--overlay", help="A file of your own prices; repeat it to lay several on top."),
]
QuotesOption = Annotated[
    Path | None,
    typer.Option("--quotes", help="A YAML file of your own quotes for instruments."),
]
AsOfOption = Annotated[
    str, typer.Option("--as-of", help="The day of the review, as 2026-11-30; today without it.")
]
TermOption = Annotated[
    int, typer.Option("--longest-term", min=1, help="The longest term to sign, in months.")
]
UpfrontOption = Annotated[
    str, typer.Option("--most-upfront", help="The largest share to pay upfront, from 0 to 1.")
]
MonthsOption = Annotated[
    int, typer.Option("--months", min=7, max=36, help="How many months to look ahead.")
]
GrowthOption = Annotated[
    list[str] | None,
    typer.Option("--growth", help="A growth a year as a scenario, such as launch=0.5; repeat it."),
]


@app.command(
    epilog="Example: tidegate review commitments --stack prod.json --usage usage.csv > review.md"
)
def commitments(
    usage: UsageOption,
    stack: StackOption = None,
    overlay: OverlayOption = None,
    quotes: QuotesOption = None,
    as_of: AsOfOption = "",
    longest_term: TermOption = 12,
    most_upfront: UpfrontOption = "0",
    months: MonthsOption = 12,
    growth: GrowthOption = None,
    output: Annotated[
        ReviewFormat, typer.Option("--format", help="markdown or json.")
    ] = ReviewFormat.MARKDOWN,
    patch: Annotated[
        Path | None,
        typer.Option(help="Also add what to buy now to this stack configuration, to be agreed to."),
    ] = None,
    accept_assumed_prices: Annotated[
        bool, typer.Option("--accept-assumed-prices", help="Patch on averages instead of quotes.")
    ] = False,
) -> None:
    """Review commitments: declared against used, the past exactly, the future honestly.

    Exit code 0, or 2 where the usage or an option cannot be taken. A stack that cannot be read is
    said in the review, which goes on with the others.
    """
    review = _review(
        usage, stack, overlay, quotes, as_of, longest_term, most_upfront, months, growth
    )
    if patch is not None:
        from tidegate.cli.review_patch import add_purchases

        for agreement in add_purchases(patch, review, accept_assumed_prices):
            typer.echo(f"{patch}: added {agreement}", err=True)
    if output is ReviewFormat.JSON:
        from tidegate.cli.review_json import build_review_json

        print_json(build_review_json(review))
    else:
        from tidegate.cli.review_markdown import render_review_markdown

        typer.echo(render_review_markdown(review))


@app.command(
    epilog="Example: tidegate review explain past.optimum --stack prod.json --usage usage.csv"
)
def explain(
    usage: UsageOption,
    identifier: Annotated[
        str, typer.Argument(metavar="[ID]", help="What a review shows in code marks.")
    ] = "",
    stack: StackOption = None,
    overlay: OverlayOption = None,
    quotes: QuotesOption = None,
    as_of: AsOfOption = "",
    longest_term: TermOption = 12,
    most_upfront: UpfrontOption = "0",
    months: MonthsOption = 12,
    growth: GrowthOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Show the rows, prices and formula behind a number; without an ID, list what there is."""
    review = _review(
        usage, stack, overlay, quotes, as_of, longest_term, most_upfront, months, growth
    )
    from tidegate.review.explain import explain as explain_number
    from tidegate.review.explain import list_ids

    if not identifier:
        ids = list_ids(review)
        if output is OutputFormat.JSON:
            print_json({"ids": list(ids)})
        else:
            for each in ids:
                typer.echo(each)
        return
    found = explain_number(review, identifier)
    if output is OutputFormat.JSON:
        from tidegate.cli.review_json import build_explanation_json

        print_json(build_explanation_json(found))
        return
    _print_explanation(found)


@app.command(epilog="Example: tidegate review schema > commitment-review-v1.json")
def schema() -> None:
    """Print the JSON Schema of `tidegate review commitments --format json`."""
    from tidegate.cli.review_schema import build_review_schema

    print_json(build_review_schema())


@app.command(epilog="Example: tidegate review sample --stack prod.json > usage.csv")
def sample(
    stack: Annotated[Path, typer.Option("--stack", help="A manifest, or stack outputs as JSON.")],
    weeks: Annotated[int, typer.Option(min=1, max=53, help="How many weeks of use.")] = 8,
    as_of: AsOfOption = "",
) -> None:
    """Print use to try a review with, made from what a stack declares and marked as simulated."""
    from tidegate.review.sample import build_sample_usage

    manifest = read_manifest_text(str(stack), _read_text(stack))
    end = _parse_day(as_of) if as_of else datetime.now(UTC).date()
    typer.echo(build_sample_usage(manifest, end, weeks), nl=False)


def _review(
    usage: Path,
    stacks: list[Path] | None,
    overlay: list[Path] | None,
    quotes: Path | None,
    as_of: str,
    longest_term: int,
    most_upfront: str,
    months: int,
    growth: list[str] | None,
) -> CommitmentReview:
    try:
        from tidegate.review.candidates import OfferLimits
        from tidegate.review.commitments import ReviewSettings, build_commitment_review
        from tidegate.review.usage_rows import parse_usage_csv
    except ModuleNotFoundError as error:
        message = f"reviews need {error.name}: install tidegate[review]"
        raise Unavailable(message) from error
    catalog = load_catalog(overlay)
    settings = ReviewSettings(
        today=_parse_day(as_of) if as_of else datetime.now(UTC).date(),
        limits=OfferLimits(longest_term, _parse_share(most_upfront)),
        months=months,
        growth=dict(_parse_growth(text) for text in growth or ()),
        quotes=_read_quotes(quotes, catalog) if quotes else (),
    )
    manifests, remarks = _read_stacks(stacks or [])
    rows, usage_remarks = parse_usage_csv(str(usage), _read_text(usage))
    with _progress():
        return build_commitment_review(
            str(usage), rows, manifests, catalog, settings, [*remarks, *usage_remarks]
        )


def _progress() -> AbstractContextManager[object]:
    """Return a line that moves on a terminal's stderr; nothing where nobody watches."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status("Reviewing commitments")


def _read_stacks(paths: list[Path]) -> tuple[list[Manifest], list[Remark]]:
    """Return the manifests that can be read, and why the others cannot."""
    manifests: list[Manifest] = []
    remarks: list[Remark] = []
    if not paths:
        consequence = "use is reviewed as if nothing were declared"
        remarks.append(Remark("the review", "was given no stack", consequence))
    for path in paths:
        try:
            manifests.append(read_manifest_text(str(path), _read_text(path)))
        except InvalidInput as error:
            reason = "; ".join(f"{each.reason}" for each in error.problems[:3])
            consequence = "what it declares is not known, and its pools count as undeclared"
            remarks.append(Remark(str(path), f"cannot be read: {reason}", consequence))
    return manifests, remarks


def _read_quotes(path: Path, catalog: Catalog) -> tuple[InstrumentOffer, ...]:
    import yaml

    from tidegate.review.quotes import parse_quotes

    try:
        document = yaml.safe_load(_read_text(path))
    except yaml.YAMLError as error:
        raise refuse(str(path), "", None, f"is no YAML ({error})", "a file of quotes") from error
    if not isinstance(document, dict):
        raise refuse(str(path), "", None, "holds no mapping", "a list under `quotes`")
    # YAML reads 0.3 as a binary fraction; its shortest text is what was written.
    plain = json.loads(json.dumps(document, default=str), parse_float=str)
    return parse_quotes(str(path), plain, catalog.instruments)


def _read_text(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == STDIN else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise refuse(str(path), "", None, f"cannot be read ({error.strerror})", "a file") from error
    except UnicodeDecodeError as error:
        raise refuse(str(path), "", None, "is not UTF-8 text", "a text file") from error


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise refuse(
            "tidegate review", "--as-of", text, "is no day", "such as 2026-11-30"
        ) from error


def _parse_share(text: str) -> Decimal:
    try:
        share = Decimal(text)
    except InvalidOperation:
        share = Decimal("NaN")
    if not share.is_finite() or not 0 <= share <= 1:
        expected = "a number from 0 to 1"
        raise refuse("tidegate review", "--most-upfront", text, "is no share", expected)
    return share


def _parse_growth(text: str) -> tuple[str, float]:
    name, _, rate = text.partition("=")
    try:
        growth = float(Decimal(rate))
    except InvalidOperation:
        growth = float("nan")
    if not name or not -1 <= growth <= 10:
        expected = "a name and a growth a year from -1 to 10, such as launch=0.5"
        raise refuse("tidegate review", "--growth", text, "is no growth", expected)
    return name, growth


def _print_explanation(found: Explanation) -> None:
    typer.echo(f"{found.id}: {found.title}")
    typer.echo(f"  formula: {found.formula}")
    for name, value in found.values.items():
        typer.echo(f"  {name}: {value}")
    for price in found.prices:
        amount = "unknown" if price.amount is None else f"{price.amount} {price.currency}"
        day = f", {price.as_of}" if price.as_of else ""
        assumed = ", assumed" if price.assumed else ""
        typer.echo(f"  price of {price.what}: {amount} ({price.origin}{day}{assumed})")
    for row in found.rows[:ROWS_SHOWN]:
        nodes = "not measured" if row.nodes is None else f"{row.nodes} nodes"
        typer.echo(f"  {row.hour:%Y-%m-%dT%H:%MZ} {row.pool} {row.instance_type}: {nodes}")
    if len(found.rows) > ROWS_SHOWN:
        typer.echo(f"  … {len(found.rows) - ROWS_SHOWN} rows more; all with --format json")
