"""`tidegate simulate`: what a manifest would have cost on a queue's own history."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.simulate_inputs import (
    Arm,
    HistoryOptions,
    build_setup,
    parse_moment,
    read_arms,
    read_source,
)
from tidegate.cli.simulate_output import (
    describe_comparison,
    describe_history,
    describe_run,
    list_figures,
    list_history,
    print_simulation,
    render_comparison,
)
from tidegate.cli.simulate_timing import TimedPolicy
from tidegate.report.simulated_run import SimulatedRun
from tidegate.simulation import experiment
from tidegate.simulation.engine import simulate as run_simulation
from tidegate.simulation.ours import Tidegate
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup
from tidegate.traces.window import QueueHistory
from tidegate.vocabulary.problems import Unavailable, refuse

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Example: tidegate simulate jobs.csv --manifest .tidegate/manifests/prod.json. "
    "Columns: id, submitted, seconds, accelerator, accelerators; optional workers, "
    "workload_class, priority, checkpoint_seconds, restart_seconds, wait_target_seconds, "
    "deadline. Of Polyaxon: polyaxon ops ls -o json > runs.json; tidegate simulate runs.json "
    "--accelerator h100-80gb --manifest … Of a public trace: tidegate simulate "
    "philly:philly.csv.gz --accelerator h100-80gb --manifest …"
)
def simulate(
    history: Annotated[
        str,
        typer.Argument(
            metavar="HISTORY",
            help="What was submitted: CSV, .parquet, Polyaxon's runs (.json), or a public trace "
            "that you put in place (philly:FILE, helios:FOLDER).",
        ),
    ],
    manifest: Annotated[
        Path, typer.Option(help="A manifest, or what `pulumi stack output --json` printed.")
    ],
    overlay: Annotated[
        list[Path] | None, typer.Option(help="A file of your own prices; may be repeated.")
    ] = None,
    spot_losses_per_hour: Annotated[
        float, typer.Option(min=0, help="How often a spot node is taken away.")
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Of the losses: equal seeds, equal results.")] = 1,
    settings: Annotated[
        Path | None, typer.Option(help="Settings of scaling (YAML), instead of the defaults.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Another manifest: the treatment of an experiment.")
    ] = None,
    compare_settings: Annotated[
        Path | None, typer.Option(help="Other settings of scaling: the treatment's.")
    ] = None,
    blocks: Annotated[int, typer.Option(min=2, help="Paired spans of the experiment.")] = 10,
    report: Annotated[
        Path | None, typer.Option(help="Write plots to this .html file, and a .png beside it.")
    ] = None,
    accelerator: Annotated[
        str | None,
        typer.Option(help="What Polyaxon's runs or a public trace ran on; they do not say it."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="One virtual cluster of a public trace, instead of all.")
    ] = None,
    checkpoint_seconds: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How often jobs of a public trace save themselves (1800 unless stated); 0: never.",
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", help="Replay from then on (2017-10-01; UTC).")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Replay until then.")] = None,
    decision_time: Annotated[
        bool, typer.Option(help="Tell how long decisions took, which no two runs repeat.")
    ] = False,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Replay a queue's history against a manifest's pools, decided as the controller would."""
    arms = read_arms(manifest, compare, settings, compare_settings)
    window = parse_moment("--from", since), parse_moment("--until", until)
    options = HistoryOptions(accelerator, cluster, checkpoint_seconds, *window)
    told = read_source(history, options, arms)

    def build(arm: Arm) -> Setup:
        return build_setup(told, arm, overlay, seed, spot_losses_per_hour)

    setups = {arm.name: build(arm) for arm in arms}
    bounds = {name: _bound(told, setup) for name, setup in setups.items()}
    policies = {arm.name: TimedPolicy(Tidegate(arm.settings)) for arm in arms}
    results = {name: _replay(name, setup, policies[name]) for name, setup in setups.items()}
    runs = {name: describe_run(setups[name], results[name], bounds[name]) for name in setups}
    if decision_time:
        for name, policy in policies.items():
            runs[name]["decisionMilliseconds"] = policy.milliseconds()
    found: dict[str, Any] = {**describe_history(told), **runs[arms[0].name]}
    if len(arms) > 1:
        found["treatment"] = runs[arms[1].name]
        found["comparison"] = describe_comparison(_compare(build, arms, blocks))
    if report:
        replayed = list_history(found)
        shown = {
            name: SimulatedRun(
                setup, results[name], bounds[name], replayed + list_figures(runs[name])
            )
            for name, setup in setups.items()
        }
        compared = render_comparison(found["comparison"]) if "comparison" in found else ""
        found["report"] = _write_report(report, shown, compared)
    if output is OutputFormat.JSON:
        print_json(found)
    else:
        print_simulation(found, runs)


def _bound(told: QueueHistory, setup: Setup) -> Decimal:
    # Loaded here: `tidegate --help` neither has to wait for NumPy nor needs it.
    try:
        from tidegate.simulation.bounds import bound_rate
    except ModuleNotFoundError as error:
        raise Unavailable(f"simulations need {error.name}: install tidegate[simulate]") from error
    return bound_rate(told.jobs, setup.market.offerings)


def _replay(name: str, setup: Setup, policy: TimedPolicy) -> QueueResult:
    with _show_progress(f"Replaying {name}", setup.end) as tell:
        return run_simulation(setup, policy, tell)


def _compare(
    build: Callable[[Arm], Setup], arms: list[Arm], blocks: int
) -> experiment.Comparison | None:
    def arm(told: Arm) -> experiment.Arm:
        return experiment.Arm(build(told), lambda: Tidegate(told.settings))

    with _show_progress("Comparing", blocks) as tell:
        return experiment.compare(arm(arms[0]), arm(arms[1]), blocks, tell)


def _write_report(path: Path, runs: Mapping[str, SimulatedRun], compared: str) -> list[str]:
    """Write the plots; return the files."""
    try:
        from tidegate.report.simulation import render_simulation
    except ModuleNotFoundError as error:
        raise Unavailable("plots need Altair: install tidegate[simulate]") from error
    plots = render_simulation(runs, compared)
    picture = path.with_suffix(".png")
    try:
        path.write_text(plots.html, encoding="utf-8")
        picture.write_bytes(plots.png)
    except OSError as error:
        reason = f"cannot be written ({error.strerror})"
        raise refuse(str(path), "", None, reason, "a file in a folder that exists") from error
    return [str(path), str(picture)]


@contextmanager
def _show_progress(title: str, end: int) -> Iterator[Callable[[int], None] | None]:
    """Yield what to tell how far it is; a bar appears on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=end)
        yield lambda reached: bar.update(task, completed=reached)
