"""How many time series a stream's metrics may have, and the scrape settings that hold it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from tidegate_components.arguments import Arguments
from tidegate_components.telemetry import args as shapes

LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
MAX_LABELS = 30
OWN_LABELS = ("__.*", "job", "instance", "le", "quantile")
"""Labels that Prometheus itself sets, or that a histogram or summary is nothing without."""


@dataclass(frozen=True, slots=True)
class MetricBudget:
    """The series that metrics may have.

    Attributes:
        max_active_series: The most that may be active at once, over all targets.
        targets: Scrape targets that share it.
        metric_names: How many metrics there are; None where nobody said.
        label_values: Label → the most values that it takes; empty for any label.
        labels_dropped: Labels taken off before anything is stored.
        max_labels: The most labels of one series.
    """

    max_active_series: int
    targets: int
    metric_names: int | None
    label_values: tuple[tuple[str, int], ...]
    labels_dropped: tuple[str, ...]
    max_labels: int

    @property
    def expected_series(self) -> int | None:
        """The most series that metrics and label values can make; None where nobody said."""
        if self.metric_names is None:
            return None
        return self.metric_names * math.prod(count for _, count in self.label_values)

    def render_scrape(self) -> dict[str, Any]:
        """Return the settings of a Prometheus scrape configuration.

        A target whose scrape has more samples than `sample_limit` fails as a whole.
        """
        relabel: list[dict[str, str]] = []
        if self.labels_dropped:
            relabel.append({"action": "labeldrop", "regex": "|".join(self.labels_dropped)})
        if self.label_values:
            kept = [*OWN_LABELS, *(label for label, _ in self.label_values)]
            relabel.append({"action": "labelkeep", "regex": "|".join(kept)})
        return {
            "sample_limit": self.max_active_series // self.targets,
            "label_limit": self.max_labels,
            "metric_relabel_configs": relabel,
        }


def parse_metric_budget(read: Arguments) -> MetricBudget | None:
    """Return the budget of the stream's metrics; None where none is stated."""
    nested = read.nested("metrics", shapes.MetricBudgetArgs)
    if nested is None:
        return None
    budget = MetricBudget(
        max_active_series=nested.whole("max_active_series", minimum=1),
        targets=nested.whole("targets", 1, minimum=1),
        metric_names=nested.optional_whole("metric_names", minimum=1),
        label_values=_label_values(nested),
        labels_dropped=nested.texts("labels_dropped"),
        max_labels=nested.whole("max_labels", MAX_LABELS, minimum=1),
    )
    _check_labels(nested, budget)
    _check_series(nested, budget)
    return budget


def _label_values(read: Arguments) -> tuple[tuple[str, int], ...]:
    stated = read.plain("label_values")
    if stated is None:
        return ()
    if not isinstance(stated, dict):
        read.refuse("label_values", stated, "is not an object", "labels with whole numbers")
        return ()
    found = []
    for label, count in stated.items():
        if isinstance(count, bool) or not isinstance(count, int | float) or count < 1:
            read.refuse(f"label_values.{label}", count, "is no number of values", "at least 1")
        else:
            found.append((str(label), int(count)))
    return tuple(found)


def _check_labels(read: Arguments, budget: MetricBudget) -> None:
    allowed = [label for label, _ in budget.label_values]
    for key, labels in (("label_values", allowed), ("labels_dropped", budget.labels_dropped)):
        for label in labels:
            if not LABEL.fullmatch(label):
                expected = "letters, digits and '_', not starting with a digit"
                read.refuse(key, label, "is no Prometheus label", expected)
    for label in sorted(set(allowed) & set(budget.labels_dropped)):
        reason = "may be carried and is dropped at the same time"
        read.refuse("labels_dropped", label, reason, "one of the two")
    if len(allowed) > budget.max_labels:
        reason = f"are more labels than max_labels {budget.max_labels}"
        read.refuse("label_values", len(allowed), reason, f"at most {budget.max_labels}")


def _check_series(read: Arguments, budget: MetricBudget) -> None:
    if budget.targets > budget.max_active_series:
        reason = f"leaves each of {budget.targets} targets no series at all"
        read.refuse("max_active_series", budget.max_active_series, reason, "at least one a target")
    series = budget.expected_series
    if series is not None and series > budget.max_active_series:
        parts = " x ".join(
            [f"{budget.metric_names} metrics"]
            + [f"{count} values of {label}" for label, count in budget.label_values]
        )
        reason = f"is exceeded: {parts} make {series} series"
        expected = f"at least {series}, or a label dropped"
        read.refuse("max_active_series", budget.max_active_series, reason, expected)
