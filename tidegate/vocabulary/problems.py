"""Bad input, said once: what, where, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with what a user wrote.

    Attributes:
        where: The resource, pool or file, as the user knows it ("pool train-h100").
        property: The property or key, dotted ("pools.train-h100.minNodes"); empty for the whole.
        value: The offending value, already rendered for people; empty where none was given.
        reason: What is wrong, as a full clause, naming the limit and whose limit it is.
        expected: What would be right ("one of training, inference", "at most 12 characters").
    """

    where: str
    property: str
    value: str
    reason: str
    expected: str

    def __str__(self) -> str:
        place = f"{self.where}: {self.property}" if self.property else self.where
        value = f" = {self.value}" if self.value else ""
        expected = f"; expected {self.expected}" if self.expected else ""
        return f"{place}{value}: {self.reason}{expected}"


class InvalidInput(ValueError):
    """Raised at a boundary when input is refused; carries every problem found there."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        if not self.problems:
            raise ValueError("InvalidInput needs at least one problem")
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Unavailable(RuntimeError):
    """Something outside could not do its part: a program, a cloud, a server.

    The message says what was tried and what the user can do; it is shown as it is.
    """


def refuse(
    where: str, property: str, value: object, reason: str, expected: str = ""
) -> InvalidInput:
    """Return (not raise) the error for one problem, with the value rendered for people."""
    rendered = "" if value is None else repr(value) if isinstance(value, str) else str(value)
    return InvalidInput(Problem(where, property, rendered, reason, expected))


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word closest to a misspelt one, or "" when none is close."""
    matches = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return matches[0] if matches else ""


def suggest(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" for the end of a reason, or "" when no known word is close."""
    guess = nearest(word, known)
    return f" (did you mean {guess!r}?)" if guess else ""
