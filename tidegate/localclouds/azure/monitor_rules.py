"""What Azure Monitor refuses in autoscale settings, said of the REST body.

Source: the descriptions of the properties in azure-mgmt-monitor 7.0.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from tidegate.localclouds.azure.times import parse_duration
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure

Body = Mapping[str, Any]

COUNTS = ("minimum", "maximum", "default")
# As the descriptions of cooldown, timeWindow and timeGrain have them.
COOLDOWN = (timedelta(minutes=1), timedelta(weeks=1))
WINDOW = (timedelta(minutes=5), timedelta(hours=12))
GRAIN = (timedelta(minutes=1), timedelta(hours=12))


def check_autoscale_setting(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an autoscale setting."""
    del name
    profiles = look(body, "properties.profiles")
    seen: set[Any] = set()
    for index, profile in enumerate(profiles if isinstance(profiles, list) else []):
        place = f"properties.profiles[{index}]"
        own = look(profile, "name")
        if isinstance(own, str):
            if own in seen:
                yield CheckFailure(f"{place}.name", f"The profile '{own}' is given twice.")
            seen.add(own)
        yield from _check_capacity(f"{place}.capacity", look(profile, "capacity"))
        if look(profile, "fixedDate") is not None and look(profile, "recurrence") is not None:
            yield CheckFailure(place, "A profile has a fixed date or a recurrence, not both.")
        rules = look(profile, "rules")
        for number, rule in enumerate(rules if isinstance(rules, list) else []):
            yield from _check_rule(f"{place}.rules[{number}]", rule)


def _check_capacity(place: str, capacity: Any) -> Iterator[CheckFailure]:
    counts: dict[str, int] = {}
    for word in COUNTS:
        text = look(capacity, word)
        if not isinstance(text, str):
            continue
        if not text.isdecimal():
            yield CheckFailure(f"{place}.{word}", f"'{text}' is no whole number of instances.")
            continue
        counts[word] = int(text)
    least, most = counts.get("minimum", 0), counts.get("maximum")
    if most is not None and least > most:
        yield CheckFailure(f"{place}.minimum", f"The minimum {least} is above the maximum {most}.")
    usual = counts.get("default")
    if usual is not None and (usual < least or (most is not None and usual > most)):
        yield CheckFailure(
            f"{place}.default", f"The default {usual} is not between {least} and {most}."
        )


def _check_rule(place: str, rule: Any) -> Iterator[CheckFailure]:
    for word, limits in (
        ("scaleAction.cooldown", COOLDOWN),
        ("metricTrigger.timeWindow", WINDOW),
        ("metricTrigger.timeGrain", GRAIN),
    ):
        text = look(rule, word)
        if not isinstance(text, str):
            continue
        length = parse_duration(text)
        if length is None or not limits[0] <= length <= limits[1]:
            yield CheckFailure(
                f"{place}.{word}", f"'{text}' is no duration between {limits[0]} and {limits[1]}."
            )
    grain = parse_duration(look(rule, "metricTrigger.timeGrain"))
    window = parse_duration(look(rule, "metricTrigger.timeWindow"))
    if grain and window and grain > window:
        yield CheckFailure(f"{place}.metricTrigger.timeGrain", "The grain is above the window.")
