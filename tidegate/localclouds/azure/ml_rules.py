"""What Azure Machine Learning refuses, said of the REST body.

Source: the descriptions of the properties in pulumi-azure-native 3.29.0. Of identities, names,
traffic, the scale type and instance count of managed deployments: general vendor documentation, not
verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from tidegate.localclouds.azure import places
from tidegate.localclouds.azure.times import parse_duration
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

NEEDED = ("storageAccount", "keyVault")
INSTANCE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,22}[A-Za-z0-9]")
# "Minimum is 15 min, maximum is 3 days."
IDLE = (timedelta(minutes=15), timedelta(days=3))
NODES = "properties.properties"


def check_workspace(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a workspace: a project's own hub has the rest."""
    del name
    if look(body, "identity.type") in (None, "None"):
        yield CheckFailure("identity", "A workspace needs a managed identity.")
    hub = look(body, "properties.hubResourceId")
    for word in NEEDED if hub is None else ():
        if look(body, f"properties.{word}") is None:
            yield CheckFailure(f"properties.{word}", f"A workspace needs {word}.")


def check_compute(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a compute cluster or instance."""
    kind = look(body, "properties.computeType")
    if kind not in ("AmlCompute", "ComputeInstance"):
        return
    size = look(body, f"{NODES}.vmSize")
    if look(body, NODES) is None or size is None:
        yield CheckFailure(f"{NODES}.vmSize", f"A compute of type {kind} needs vmSize.")
    elif isinstance(size, str):
        for reason in places.check_size(size, str(body.get("location") or "")):
            yield CheckFailure(f"{NODES}.vmSize", reason)
    if kind == "AmlCompute":
        yield from _check_scale(look(body, f"{NODES}.scaleSettings"))
    else:
        yield from _check_instance(name, body)


def _check_scale(settings: Any) -> Iterator[CheckFailure]:
    place = f"{NODES}.scaleSettings"
    least, most = look(settings, "minNodeCount"), look(settings, "maxNodeCount")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield CheckFailure(
            f"{place}.minNodeCount", f"minNodeCount {least} is above maxNodeCount {most}."
        )
    idle = look(settings, "nodeIdleTimeBeforeScaleDown")
    if isinstance(idle, str) and parse_duration(idle) is None:
        yield CheckFailure(
            f"{place}.nodeIdleTimeBeforeScaleDown",
            f"'{idle}' is no ISO 8601 duration, such as PT120S.",
        )


def _check_instance(name: Any, body: Body) -> Iterator[CheckFailure]:
    if isinstance(name, str) and not INSTANCE_NAME.fullmatch(name):
        yield CheckFailure(
            "name", f"The name '{name}' is not valid: 3 to 24 letters, digits and dashes."
        )
    yield from check_idle_time(look(body, f"{NODES}.idleTimeBeforeShutdown"))
    schedules = look(body, f"{NODES}.schedules.computeStartStop")
    for index, schedule in enumerate(schedules if isinstance(schedules, list) else []):
        trigger = look(schedule, "triggerType")
        own = {"Cron": "cron", "Recurrence": "recurrence"}.get(str(trigger))
        if own and look(schedule, own) is None:
            yield CheckFailure(
                f"{NODES}.schedules.computeStartStop[{index}].{own}",
                f"A schedule of trigger type {trigger} needs {own}.",
            )


def check_idle_time(idle: Any) -> Iterator[CheckFailure]:
    """Say what is wrong with the time after which an unused instance stops."""
    length = parse_duration(idle)
    if isinstance(idle, str) and (length is None or not IDLE[0] <= length <= IDLE[1]):
        yield CheckFailure(
            f"{NODES}.idleTimeBeforeShutdown",
            f"'{idle}' is no ISO 8601 duration of 15 minutes to 3 days.",
        )


def check_endpoint(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an online endpoint."""
    del name
    if look(body, "identity.type") in (None, "None"):
        yield CheckFailure("identity", "An online endpoint needs a managed identity.")
    traffic = look(body, "properties.traffic")
    shares = list(traffic.values()) if isinstance(traffic, Mapping) else []
    if all(isinstance(share, int) for share in shares) and sum(shares) not in (0, 100):
        yield CheckFailure(
            "properties.traffic", f"Traffic adds up to 0 or 100 per cent, got {sum(shares)}."
        )


def check_deployment(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an online deployment."""
    del name
    properties = body.get("properties") or {}
    kind, size = look(properties, "endpointComputeType"), look(properties, "instanceType")
    scale, count = look(properties, "scaleSettings.scaleType"), look(body, "sku.capacity")
    if kind == "Managed":
        if isinstance(size, str):
            for reason in places.check_size(size, str(body.get("location") or "")):
                yield CheckFailure("properties.instanceType", reason)
        if scale not in (None, "Default", UNKNOWN):
            yield CheckFailure(
                "properties.scaleSettings.scaleType",
                f"A managed deployment scales by Default (Azure Monitor autoscale), got {scale}.",
            )
        if isinstance(count, int) and count < 1:
            yield CheckFailure(
                "sku.capacity", f"A managed deployment has at least 1 instance, got {count}."
            )
    least, most = (
        look(properties, "scaleSettings.minInstances"),
        look(properties, "scaleSettings.maxInstances"),
    )
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield CheckFailure(
            "properties.scaleSettings.minInstances", f"minInstances {least} is above {most}."
        )
