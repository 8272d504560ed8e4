"""CloudWatch: the metric alarm."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable

from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

PERCENTILES = {"evaluateLowSampleCountPercentiles": "EvaluateLowSampleCountPercentile"}
SHORT_PERIODS, MINUTE = (10, 20, 30), 60  # CloudWatch API reference, PutMetricAlarm


class MetricAlarm(ModelledType):
    """`aws.cloudwatch.MetricAlarm`."""

    service = "cloudwatch"
    actions = Actions("PutMetricAlarm", "DescribeAlarms", "PutMetricAlarm", "DeleteAlarms")
    names = Names("AlarmName", arn="AlarmArn", asked=PERCENTILES, shown=PERCENTILES)
    tag_calls = TagCalls(arn="ResourceARN", member="Tags", keys="TagKeys", as_pairs=True)

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse an alarm without a metric or a rule, and periods that there are not."""
        for name in ("metricName", "namespace", "comparisonOperator", "evaluationPeriods"):
            if name not in inputs:
                yield CheckFailure(name, f"missing required property '{name}'")
        if ("statistic" in inputs) == ("extendedStatistic" in inputs):
            words = "exactly one of statistic, extendedStatistic must be specified"
            yield CheckFailure("statistic", words)
        period = inputs.get("period", MINUTE)
        if period is not UNKNOWN and period not in SHORT_PERIODS and period % MINUTE:
            yield CheckFailure("period", f"expected 10, 20, 30 or a multiple of 60, got {period}")

    def fetch(self, id: str, inputs: Values, call: Call) -> Values:
        """Find it by its name."""
        found = self.ask(self.actions.read, call, inputs, {"AlarmNames": [id]})["MetricAlarms"]
        if not found:
            raise NotFoundError("ResourceNotFound", f"Alarm {id} does not exist")
        alarm: Values = found[0]
        return alarm

    def delete(self, record: Record, call: Call) -> None:
        """Delete it."""
        with self.ignore_missing():
            self.ask(self.actions.delete, call, record.inputs, {"AlarmNames": [record.id]})
