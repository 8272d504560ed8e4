"""`tidegate review`: from what stacks declare and what was used to the next pull request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidegate.catalog.load import load_catalog
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.vocabulary.problems import Unavailable, refuse

if TYPE_CHECKING:
    from tidegate.review.commitments import CommitmentReview
    from tidegate.review.explained import Explanation

app = typer.Typer(
    help="Reviews: what is declared and what was used become the next change to declare.",
    no_args_is_help=True,
    add_completion=False,
)

COMMAND = "tidegate review"
ROWS_SHOWN = 24
BACKEND_VARIABLE = "PULUMI_BACKEND_URL"


class ReviewFormat(StrEnum):
    """How a review is printed."""

    MARKDOWN = "markdown"
    JSON = "json"
    HTML = "html"


FileOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--stack",
        help="What `pulumi stack output --json` printed, or a manifest; repeat it for several.",
    ),
]
NameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pulumi-stack",
        help="A stack whose outputs are read from its backend, such as prod; repeat it.",
    ),
]
ProjectOption = Annotated[
    Path, typer.Option("--project", help="The folder with Pulumi.yaml, for --pulumi-stack.")
]
BackendOption = Annotated[
    str,
    typer.Option(
        "--backend",
        envvar=BACKEND_VARIABLE,
        help="Where --pulumi-stack finds state, such as s3://acme-pulumi; "
        "without it, what `tidegate up` made.",
    ),
]
UsageOption = Annotated[
    Path | None,
    typer.Option(
        "--usage",
        help="Hourly use as CSV or Parquet: hour, pool, nodes and, where needed, "
        "instance_type, cloud, region, simulated. Without it, use is taken from --charges.",
    ),
]
ChargesOption = Annotated[
    list[Path] | None,
    typer.Option("--charges", help="FOCUS 1.x charges as CSV or Parquet; repeat it."),
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


@dataclass(frozen=True, slots=True)
class Sources:
    """Where inputs lie, as given on the command line."""

    usage: Path | None
    charges: list[Path] | None
    files: list[Path] | None
    names: list[str] | None
    project: Path
    backend: str


@dataclass(frozen=True, slots=True)
class Choices:
    """What a review is to take for granted, as given on the command line."""

    overlay: list[Path] | None
    quotes: Path | None
    as_of: str
    longest_term: int
    most_upfront: str
    months: int
    growth: list[str] | None


@app.command(
    epilog="Example: tidegate review commitments --stack prod.json --usage usage.csv > review.md"
)
def commitments(
    usage: UsageOption = None,
    charges: ChargesOption = None,
    stack: FileOption = None,
    pulumi_stack: NameOption = None,
    project: ProjectOption = Path(),
    backend: BackendOption = "",
    overlay: OverlayOption = None,
    quotes: QuotesOption = None,
    as_of: AsOfOption = "",
    longest_term: TermOption = 12,
    most_upfront: UpfrontOption = "0",
    months: MonthsOption = 12,
    growth: GrowthOption = None,
    output: Annotated[
        ReviewFormat, typer.Option("--format", help="markdown, json or html.")
    ] = ReviewFormat.MARKDOWN,
    patch: Annotated[
        Path | None,
        typer.Option(help="Also add what to buy now to this stack configuration, to be agreed to."),
    ] = None,
    accept_assumed_prices: Annotated[
        bool, typer.Option("--accept-assumed-prices", help="Patch on averages instead of quotes.")
    ] = False,
) -> None:
    """Review commitments: declared against used and billed, the past exactly, the future honestly.

    Exit code 0, or 2 where the use or an option cannot be taken. A stack that cannot be read is
    said in the review, which goes on with the others.
    """
    review = _review(
        Sources(usage, charges, stack, pulumi_stack, project, backend),
        Choices(overlay, quotes, as_of, longest_term, most_upfront, months, growth),
    )
    if patch is not None:
        from tidegate.cli.review_patch import add_purchases

        for agreement in add_purchases(patch, review, accept_assumed_prices):
            typer.echo(f"{patch}: added {agreement}", err=True)
    _print_review(review, output)


@app.command(
    epilog="Example: tidegate review explain past.optimum --stack prod.json --usage usage.csv"
)
def explain(
    identifier: Annotated[
        str, typer.Argument(metavar="[ID]", help="What a review shows in code marks.")
    ] = "",
    usage: UsageOption = None,
    charges: ChargesOption = None,
    stack: FileOption = None,
    pulumi_stack: NameOption = None,
    project: ProjectOption = Path(),
    backend: BackendOption = "",
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
        Sources(usage, charges, stack, pulumi_stack, project, backend),
        Choices(overlay, quotes, as_of, longest_term, most_upfront, months, growth),
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
        from tidegate.report.commitments_json import build_explanation_json

        print_json(build_explanation_json(found))
        return
    _print_explanation(found)


@app.command(epilog="Example: tidegate review schema > commitment-review-v1.json")
def schema() -> None:
    """Print the JSON Schema of `tidegate review commitments --format json`."""
    from tidegate.report.commitments_schema import build_review_schema

    print_json(build_review_schema())


@app.command(epilog="Example: tidegate review sample --stack prod.json > usage.csv")
def sample(
    stack: Annotated[Path, typer.Option("--stack", help="A manifest, or stack outputs as JSON.")],
    weeks: Annotated[int, typer.Option(min=1, max=53, help="How many weeks of use.")] = 8,
    as_of: AsOfOption = "",
) -> None:
    """Print use to try a review with, made from what a stack declares and marked as simulated."""
    _require_extra()
    from tidegate.cli.text_files import read_text
    from tidegate.manifest.read import read_manifest_text
    from tidegate.review.sample import build_sample_usage, render_usage_csv

    manifest = read_manifest_text(str(stack), read_text(stack))
    for line in render_usage_csv(build_sample_usage(manifest, _read_day(as_of), weeks)):
        typer.echo(line, nl=False)


def _review(sources: Sources, choices: Choices) -> CommitmentReview:
    _require_extra()
    from tidegate.cli.review_inputs import Backend, read_inputs, read_quotes
    from tidegate.cli.review_progress import show_review_progress
    from tidegate.review.candidates import OfferLimits
    from tidegate.review.commitments import build_commitment_review
    from tidegate.review.settings import ReviewSettings

    catalog = load_catalog(choices.overlay)
    settings = ReviewSettings(
        today=_read_day(choices.as_of),
        limits=OfferLimits(choices.longest_term, _parse_share(choices.most_upfront)),
        months=choices.months,
        growth=dict(_parse_growth(text) for text in choices.growth or ()),
        quotes=read_quotes(choices.quotes, catalog) if choices.quotes else (),
    )
    with show_review_progress() as report:
        report("reading")
        inputs = read_inputs(
            sources.usage,
            sources.charges or [],
            sources.files or [],
            sources.names or [],
            Backend(sources.project, sources.backend),
        )
        return build_commitment_review(inputs, catalog, settings, report)


def _require_extra() -> None:
    try:
        import highspy  # noqa: F401 - what follows needs both
        import numpy as np  # noqa: F401 - the same
    except ModuleNotFoundError as error:
        message = f"reviews need {error.name}: install tidegate[review]"
        raise Unavailable(message) from error


def _print_review(review: CommitmentReview, output: ReviewFormat) -> None:
    if output is ReviewFormat.JSON:
        from tidegate.report.commitments_json import build_review_json

        print_json(build_review_json(review))
    elif output is ReviewFormat.HTML:
        from tidegate.report.commitments import render_review_html

        typer.echo(render_review_html(review))
    else:
        from tidegate.report.commitments import render_review_markdown

        typer.echo(render_review_markdown(review))


def _read_day(text: str) -> date:
    if not text:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise refuse(COMMAND, "--as-of", text, "is no day", "such as 2026-11-30") from error


def _parse_share(text: str) -> Decimal:
    try:
        share = Decimal(text)
    except InvalidOperation:
        share = Decimal("NaN")
    if not share.is_finite() or not 0 <= share <= 1:
        raise refuse(COMMAND, "--most-upfront", text, "is no share", "a number from 0 to 1")
    return share


def _parse_growth(text: str) -> tuple[str, float]:
    name, _, rate = text.partition("=")
    try:
        growth = float(Decimal(rate))
    except InvalidOperation:
        growth = float("nan")
    if not name or not -1 <= growth <= 10:
        expected = "a name and a growth a year from -1 to 10, such as launch=0.5"
        raise refuse(COMMAND, "--growth", text, "is no growth", expected)
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
