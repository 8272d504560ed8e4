"""A simulation as plots: capacity over time, how long jobs waited, cost against its bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from tidegate.report.html import load_template
from tidegate.report.simulated_run import SimulatedRun
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup

MOST_POINTS = 1500
"""Points of one plot; more would only make its file larger."""
WIDTH, HEIGHT = 640, 180


@dataclass(frozen=True, slots=True)
class SimulationPlots:
    """The same plots as a page of its own, scripts included, and as a picture."""

    html: str
    png: bytes


def render_simulation(runs: Mapping[str, SimulatedRun], compared: str) -> SimulationPlots:
    """Return plots of runs on one trace, on the page with their figures above.

    Args:
        runs: Name of a run → the run; at least one.
        compared: What an experiment found, by lines; empty without one.
    """
    charts = [_capacity(run.setup, name, run.result) for name, run in runs.items()]
    waits = _waits({name: run.result for name, run in runs.items()})
    chart = alt.vconcat(*charts, waits, _costs(runs)).resolve_scale(color="independent")
    return SimulationPlots(
        html=_add_table(chart.to_html(inline=True), runs, compared),
        png=vl_convert.vegalite_to_png(chart.to_json(), scale=2),
    )


def _add_table(html: str, runs: Mapping[str, SimulatedRun], compared: str) -> str:
    """Return the page with the figures above its plots."""
    # The inlined scripts speak of a body too; the page's own comes last.
    before, body, after = html.rpartition("<body>")
    columns = [run.figures for run in runs.values()]
    rows = [(one[0][0], *(value for _, value in one)) for one in zip(*columns, strict=True)]
    page = load_template("simulation.html.jinja")
    table = page.render(title="Simulated", names=list(runs), rows=rows, compared=compared)
    return f"{before}{body}\n{table}{after}"


def thin(points: Sequence[Any]) -> list[Any]:
    """Return evenly spread points, the last one included."""
    step = max(-(-len(points) // MOST_POINTS), 1)
    return [*points[::step], *points[-1:]] if len(points) % step != 1 else [*points[::step]]


def _capacity(setup: Setup, name: str, result: QueueResult) -> alt.Chart:
    kinds = {entry.id: entry.capacity_type.value for entry in setup.market.offerings}
    every = sorted(set(kinds.values()))
    rows = []
    for second, alive in thin(result.levels):
        count: Counter[str] = Counter()
        for offering, nodes in alive.items():
            count[kinds[offering]] += nodes
        when = (setup.start.timestamp() + second) * 1000
        rows += [{"time": when, "bought": kind, "nodes": count[kind]} for kind in every]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows), title=f"{name}: nodes by capacity type")
        .mark_area(interpolate="step-after")
        .encode(
            x=alt.X("time:T", title=None),
            y=alt.Y("nodes:Q", stack="zero"),
            color=alt.Color("bought:N", title="bought"),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return chart


def _waits(results: Mapping[str, QueueResult]) -> alt.Chart:
    rows = []
    for name, result in results.items():
        waits = sorted(result.waits.values())
        shares = [(wait, (rank + 1) / len(waits)) for rank, wait in enumerate(waits)]
        rows += [{"run": name, "wait": wait, "share": share} for wait, share in thin(shares)]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows), title="share of jobs that waited no longer")
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("wait:Q", title="seconds until a job started"),
            y=alt.Y("share:Q", axis=alt.Axis(format="%")),
            color=alt.Color("run:N"),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return chart


def _costs(runs: Mapping[str, SimulatedRun]) -> alt.Chart:
    currencies = sorted({run.setup.market.currency for run in runs.values()})
    rows = []
    for name, run in runs.items():
        result, bound = run.result, run.bound
        nodes = result.cost - result.unfinished_cost
        rows += [
            {"run": name, "part": "nodes", "cost": float(nodes)},
            {"run": name, "part": "work not finished", "cost": float(result.unfinished_cost)},
            {"run": f"{name}: bound", "part": "lower bound", "cost": float(bound)},
        ]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows), title="cost against its lower bound")
        .mark_bar()
        .encode(
            x=alt.X("cost:Q", title=", ".join(currencies)),
            y=alt.Y("run:N", title=None, sort=None),
            color=alt.Color("part:N"),
        )
        .properties(width=WIDTH)
    )
    return chart
