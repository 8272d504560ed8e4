"""Checks that several kinds share: name grammars, durations, ranges, filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.kind import Rule, find_all
from tidegate.localclouds.gcp.log_filter import FilterError, parse_filter

DURATION = re.compile(r"(\d+)(?:\.(\d{1,9}))?s")


def name_rule(pattern: str, words: str, *, sort: str = "name", reserved: str = "") -> Rule:
    """Return the rule of a name: its last part matches the pattern and does not begin reserved.

    Args:
        pattern: The grammar.
        words: The grammar in words.
        sort: What the name is called.
        reserved: What only Google's own names begin with.
    """
    grammar = re.compile(pattern)

    def check(body: Body) -> Iterator[CheckFailure]:
        name = body.get("name")
        if not isinstance(name, str):
            return
        short = names.last_part(name)
        if not grammar.fullmatch(short):
            yield CheckFailure("name", f"Invalid {sort} '{short}': {words}.")
        elif reserved and short.startswith(reserved):
            yield CheckFailure("name", f"Invalid {sort} '{short}': '{reserved}' is reserved.")

    return check


def duration_rule(at: str, low: float, high: float) -> Rule:
    """Return the rule of a duration in seconds ("600s"), from low to high."""

    def check(body: Body) -> Iterator[CheckFailure]:
        for place, value in find_all(body, at):
            seconds = read_seconds(value)
            if isinstance(value, str) and value and seconds is None:
                yield CheckFailure(place, f"Invalid duration '{value}': seconds and 's', as 600s.")
            elif seconds is not None and not low <= seconds <= high:
                yield CheckFailure(
                    place, f"Duration {value} is out of range: {low:.0f}s to {high:.0f}s."
                )

    return check


def range_rule(at: str, low: float, high: float) -> Rule:
    """Return the rule of a number, from low to high."""

    def check(body: Body) -> Iterator[CheckFailure]:
        for place, value in find_all(body, at):
            number = read_number(value)
            if number is not None and not low <= number <= high:
                yield CheckFailure(place, f"Value {value} is out of range: {low:g} to {high:g}.")

    return check


def length_rule(at: str, most: int) -> Rule:
    """Return the rule of a text's length."""

    def check(body: Body) -> Iterator[CheckFailure]:
        for place, value in find_all(body, at):
            if isinstance(value, str) and len(value) > most:
                yield CheckFailure(place, f"{len(value)} characters are too many: at most {most}.")

    return check


def filter_rule(*places: str) -> Rule:
    """Return the rule of log filters: they can be read."""

    def check(body: Body) -> Iterator[CheckFailure]:
        for at in places:
            for place, value in find_all(body, at):
                if not isinstance(value, str):
                    continue
                try:
                    parse_filter(value)
                except FilterError as error:
                    yield CheckFailure(place, f"Unparseable filter: {error}.")

    return check


def exclusive_rule(*places: str) -> Rule:
    """Return the rule that at most one of these is there."""

    def check(body: Body) -> Iterator[CheckFailure]:
        nothing: tuple[Any, ...] = (None, UNKNOWN, {}, [])
        given = [place for place in places if look(body, place) not in nothing]
        if len(given) > 1:
            yield CheckFailure(given[1], f"{given[0]} and {given[1]} exclude each other.")

    return check


def choice_rule(at: str, *choices: str) -> Rule:
    """Return the rule of a closed set."""

    def check(body: Body) -> Iterator[CheckFailure]:
        for place, value in find_all(body, at):
            if isinstance(value, str) and value not in choices:
                yield CheckFailure(place, f"Invalid value '{value}': one of {', '.join(choices)}.")

    return check


def read_seconds(value: Any) -> float | None:
    """Return a duration's seconds, None when it is none or not known yet."""
    match = DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(f"{match[1]}.{match[2] or 0}") if match else None


def read_number(value: Any) -> float | None:
    """Return a number that REST may write as a string, None when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def items_rule(at: str, most: int, least: int = 0) -> Rule:
    """Return the rule of how many a list or map holds."""

    def check(body: Body) -> Iterator[CheckFailure]:
        for place, value in find_all(body, at):
            if isinstance(value, list | dict) and not least <= len(value) <= most:
                yield CheckFailure(place, f"{len(value)} given: from {least} to {most}.")

    return check


def when(at: str, wanted: Any, rule: Callable[[Body], Iterator[CheckFailure]]) -> Rule:
    """Return a rule that holds only where a field has a value."""

    def check(body: Body) -> Iterator[CheckFailure]:
        if look(body, at) == wanted:
            yield from rule(body)

    return check
