"""What Compute Engine refuses in a resource policy, said of the REST body.

Sources: GoogleCloudPlatform/magic-modules, mmv1/products/compute/ResourcePolicy.yaml, and the
property descriptions of pulumi-gcp 10.2.0 (read on 2026-11-30).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from zoneinfo import available_timezones

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp.kind import Rule, find_all
from tidegate.localclouds.gcp.kind_rules import choice_rule, exclusive_rule, range_rule

POLICIES = (
    "snapshotSchedulePolicy",
    "groupPlacementPolicy",
    "instanceSchedulePolicy",
    "diskConsistencyGroupPolicy",
    "workloadPolicy",
)
SCHEDULES = ("hourlySchedule", "dailySchedule", "weeklySchedule")
HOUR = re.compile(r"([01]\d|2[0-3]):00")
CRON = re.compile(r"\S+( +\S+){4}")


def _check_one_policy(body: Body) -> Iterator[CheckFailure]:
    given = [word for word in POLICIES if body.get(word) is not None]
    if len(given) > 1:
        yield CheckFailure(given[1], f"{given[0]} and {given[1]} exclude each other.")


def _check_snapshots(body: Body) -> Iterator[CheckFailure]:
    schedule = look(body, "snapshotSchedulePolicy.schedule")
    if not isinstance(schedule, dict):
        return
    given = [word for word in SCHEDULES if schedule.get(word)]
    if len(given) != 1:
        yield CheckFailure(
            "snapshotSchedulePolicy.schedule",
            f"Exactly one of {', '.join(SCHEDULES)} has to be given.",
        )
    days = look(schedule, "dailySchedule.daysInCycle")
    if isinstance(days, int) and days != 1:
        yield CheckFailure(
            "snapshotSchedulePolicy.schedule.dailySchedule.daysInCycle", f"Must be 1, got {days}."
        )
    for word in SCHEDULES:
        at = "dayOfWeeks[].startTime" if word == "weeklySchedule" else "startTime"
        for place, time in find_all(schedule, f"{word}.{at}"):
            if isinstance(time, str) and not HOUR.fullmatch(time):
                yield CheckFailure(
                    f"snapshotSchedulePolicy.schedule.{place}",
                    f"Invalid time '{time}': a full hour in UTC, HH:00.",
                )


def _check_placement(body: Body) -> Iterator[CheckFailure]:
    policy = body.get("groupPlacementPolicy")
    if not isinstance(policy, dict):
        return
    if policy.get("tpuTopology"):
        for word in ("vmCount", "collocation"):
            if not policy.get(word):
                yield CheckFailure(
                    f"groupPlacementPolicy.{word}", f"A TPU topology needs {word} as well."
                )


def _check_instances(body: Body) -> Iterator[CheckFailure]:
    policy = body.get("instanceSchedulePolicy")
    if not isinstance(policy, dict):
        return
    words = ("vmStartSchedule", "vmStopSchedule")
    if not any(policy.get(word) for word in words):
        yield CheckFailure(
            "instanceSchedulePolicy", "A schedule to start or to stop by has to be given."
        )
    for word in words:
        cron = look(policy, f"{word}.schedule")
        if isinstance(cron, str) and not CRON.fullmatch(cron):
            yield CheckFailure(
                f"instanceSchedulePolicy.{word}.schedule", f"'{cron}' is no cron line of 5 fields."
            )
    zone = policy.get("timeZone")
    if isinstance(zone, str) and zone not in available_timezones():
        yield CheckFailure("instanceSchedulePolicy.timeZone", f"Unknown time zone '{zone}'.")


def _check_workload(body: Body) -> Iterator[CheckFailure]:
    policy = body.get("workloadPolicy")
    if not isinstance(policy, dict) or policy.get("type") in ("HIGH_THROUGHPUT", UNKNOWN):
        return
    for word in ("acceleratorTopology", "acceleratorTopologyMode", "maxTopologyDistance"):
        if policy.get(word):
            yield CheckFailure(
                f"workloadPolicy.{word}", f"{word} needs a workload policy of HIGH_THROUGHPUT."
            )


POLICY_RULES: tuple[Rule, ...] = (
    _check_one_policy,
    _check_snapshots,
    _check_placement,
    _check_instances,
    _check_workload,
    choice_rule("groupPlacementPolicy.collocation", "COLLOCATED"),
    exclusive_rule("groupPlacementPolicy.maxDistance", "groupPlacementPolicy.gpuTopology"),
    range_rule("groupPlacementPolicy.maxDistance", 1, 3),
    range_rule("groupPlacementPolicy.vmCount", 1, 1500),
    range_rule("groupPlacementPolicy.availabilityDomainCount", 1, 8),
    range_rule("snapshotSchedulePolicy.retentionPolicy.maxRetentionDays", 1, 65535),
    choice_rule("workloadPolicy.type", "HIGH_AVAILABILITY", "HIGH_THROUGHPUT"),
    choice_rule("workloadPolicy.maxTopologyDistance", "BLOCK", "CLUSTER", "SUBBLOCK"),
    exclusive_rule("workloadPolicy.maxTopologyDistance", "workloadPolicy.acceleratorTopology"),
)
