"""What the main job shows in the end: made, judged, costing, and what to try next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tidegate.cli.main_job import MainJob, StackState
from tidegate.cli.output import build_console
from tidegate.engine.results import RunResult
from tidegate.manifest.model import Manifest, Pool
from tidegate.pricing.figures import BASES, Figures
from tidegate.pricing.plan import PlanCost
from tidegate.vocabulary.verdicts import Outcome

BASIS_TITLES = {
    "minimum": "at minimum",
    "declared": "as declared",
    "on_demand": "all on-demand",
    "maximum": "at maximum",
}
PAST = {"create": "created", "update": "updated", "delete": "deleted", "replace": "replaced"}
"""The engine's operation → what is said of it when it is done."""

_OUTCOMES = (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN, Outcome.WAIVED)


def build_report(job: MainJob) -> dict[str, Any]:
    """Return the main job as a JSON document (`--format json`); amounts are decimal strings."""
    document: dict[str, Any] = {
        "stack": job.stack,
        "outcome": job.result.outcome.value,
        "changes": dict(job.result.changes),
        "recovered": list(job.recovery.notes),
        "violations": [
            {"rule": found.policy, "level": found.level, "urn": found.urn, "message": found.message}
            for found in job.result.violations
        ],
    }
    if job.state is not None:
        document |= _build_state(job.state)
    return document


def print_report(job: MainJob) -> None:
    """Print the main job for a person."""
    console = build_console()
    for note in job.recovery.notes:
        console.print(f"Recovered: {note}")
    state = job.state
    if state is None:
        return
    console.print(f"\nStack {job.stack}: {render_changes(job.result)}")
    console.print(_resource_table(state.manifest, state))
    console.print(_pool_table(state.manifest.pools))
    console.print(_verdict_table(state))
    _print_cost(console, state.cost)
    if state.cost.catalog_digest != state.manifest.catalog_digest:
        console.print("Priced with another catalog than the stack was declared with.")
    console.print(f"Manifest: {shown_path(state.manifest_path)}")
    if state.review is not None:
        console.print(f"Commitment review, on sample use: {shown_path(state.review)}")
    console.print("\nNext:")
    for command, purpose in next_commands(job.stack, state.manifest_path):
        console.print(f"  {command:<58} {purpose}")


def render_changes(result: RunResult) -> str:
    """Return what the engine did in one phrase; "no changes" when nothing differed."""
    counts = {operation: count for operation, count in result.changes.items() if count}
    same = counts.pop("same", 0)
    done = ", ".join(f"{count} {PAST.get(word, word)}" for word, count in sorted(counts.items()))
    return f"{done or 'no changes'} ({same} unchanged)" if same else done or "no changes"


def shown_path(path: Path) -> str:
    """Return a path as a user would type it from where the command runs."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def next_commands(stack: str, manifest: Path) -> list[tuple[str, str]]:
    """Return commands worth trying now, with what each is for."""
    return [
        (f".venv/bin/tidegate manifest show {shown_path(manifest)}", "what was declared"),
        (".venv/bin/tidegate catalog list --accelerator h100-80gb", "who sells it, at what price"),
        (f".venv/bin/tidegate controller plan --stack {stack}", "what it would resize, and why"),
        (".venv/bin/tidegate local status", "what the local clouds hold"),
        ('eval "$(.venv/bin/tidegate local env)"', "use pulumi, boto3 and aws by hand"),
        (f"./scripts/up {stack}", "again: nothing changes"),
    ]


def _build_state(state: StackState) -> dict[str, Any]:
    cost = state.cost
    return {
        "manifest": str(state.manifest_path),
        "review": None if state.review is None else str(state.review),
        "pools": [pool.id for pool in state.manifest.pools],
        "resources": [
            {"cloud": cloud, "type": kind, "count": count}
            for (cloud, kind), count in sorted(count_resources(state).items())
        ],
        "verdicts": [
            {
                "rule": summary.rule.id,
                "title": summary.rule.title,
                "level": summary.rule.level.value,
                **{outcome.value: summary.counts.get(outcome, 0) for outcome in Outcome},
            }
            for summary in state.verdicts.by_rule
        ],
        "monthlyCost": {
            currency: {
                "total": _amounts(totals),
                "assumed": _amounts(cost.assumed[currency]),
            }
            for currency, totals in cost.totals.items()
        },
        "unknownCosts": [
            {"kind": entry.kind.value, "id": entry.id, "reason": entry.reason}
            for entry in cost.unknown
        ],
    }


def count_resources(state: StackState) -> Counter[tuple[str, str]]:
    """Return (provider, type) → how many resources of it the stack has; components left out."""
    return Counter(
        (resource["type"].split(":", 1)[0], resource["type"])
        for resource in state.export["deployment"]["resources"]
        if resource.get("custom") and not resource["type"].startswith("pulumi:")
    )


def _amounts(figures: Figures) -> dict[str, str | None]:
    return {basis: None if amount is None else str(amount) for basis, amount in figures.items()}


def _resource_table(manifest: Manifest, state: StackState) -> Table:
    table = Table("Cloud", "Resources", "Pools", "Endpoints, notebooks", "Buckets", "Log streams")
    table.add_column("Commitments, budgets")
    table.title = "Created where"
    made = Counter[str]()
    for (package, _), count in count_resources(state).items():
        made[package] += count
    for cloud, provider in (("aws", "aws"), ("gcp", "gcp"), ("azure", "azure-native")):
        columns: tuple[Sequence[Any], ...] = (
            manifest.pools,
            [*manifest.endpoints, *manifest.notebooks],
            manifest.buckets,
            manifest.telemetry,
            [*manifest.commitments, *manifest.budgets],
        )
        shown = [_ids([entry.id for entry in part if entry.cloud == cloud]) for part in columns]
        table.add_row(cloud, str(made[provider]), *shown)
    if made["kubernetes"]:
        queues = _ids([queue.id for queue in manifest.queues])
        table.add_row("kubernetes", str(made["kubernetes"]), f"queues:\n{queues}", *"––––")
    return table


def _ids(names: list[str]) -> str:
    return "\n".join(names) or "–"


def _pool_table(pools: list[Pool]) -> Table:
    table = Table("Pool", "Cloud", "Region", "Nodes", "Accelerators a node", "Bought", "Scaler")
    table.title = "Pools"
    for pool in pools:
        chips = f"{pool.accelerators_per_node} × {pool.accelerator}" if pool.accelerator else "–"
        nodes = f"{pool.min_nodes}–{pool.max_nodes}"
        table.add_row(
            pool.id, pool.cloud, pool.region, nodes, chips, pool.capacity_type, pool.scaler
        )
    return table


def _verdict_table(state: StackState) -> Table:
    table = Table("Rule", "Level", "What it wants", *(outcome.value for outcome in _OUTCOMES))
    table.title = "Verdicts"
    silent = 0
    for summary in state.verdicts.by_rule:
        rule = summary.rule
        if not any(summary.counts.get(outcome) for outcome in _OUTCOMES):
            silent += 1
            continue
        counts = [str(summary.counts.get(outcome, 0)) for outcome in _OUTCOMES]
        table.add_row(rule.id, rule.level, rule.title, *counts)
    if silent:
        table.caption = f"{silent} more rules found nothing here that they concern."
    return table


def _print_cost(console: Console, cost: PlanCost) -> None:
    for currency, totals in cost.totals.items():
        table = Table("Cloud", *(BASIS_TITLES[basis] for basis in _ordered_bases()))
        table.title = f"Monthly cost, {currency} (730 hours)"
        for column in table.columns[1:]:
            column.justify = "right"
        by_cloud = cost.by_cloud()
        for cloud, unit in sorted(by_cloud, key=lambda key: key[0].value):
            if unit == currency:
                table.add_row(cloud.value, *_row(by_cloud[cloud, unit]))
        table.add_section()
        table.add_row("all", *_row(totals))
        table.add_row("of that assumed", *_row(cost.assumed[currency]))
        console.print(table)
    if cost.assumed_prices:
        console.print(
            f"Assumed: {len(cost.assumed_prices)} prices are averages or ratios, no quotes "
            "(`tidegate catalog explain`)."
        )
    for entry in cost.unknown:
        bases = ", ".join(BASIS_TITLES[basis] for basis in entry.bases) or "part"
        console.print(f"Not counted ({bases}): {entry.kind.value} {entry.id}: {entry.reason}")


def _ordered_bases() -> list[str]:
    return [basis for basis in BASIS_TITLES if basis in BASES]


def _row(figures: Figures) -> list[str]:
    amounts: dict[str, Decimal | None] = dict(figures.items())
    return [_render(amounts[basis]) for basis in _ordered_bases()]


def _render(amount: Decimal | None) -> str:
    return "unknown" if amount is None else f"{amount:,.0f}"
