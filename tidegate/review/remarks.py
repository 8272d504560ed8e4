"""What a review could not take as it was, and what can be concluded all the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that is wrong, missing or doubtful in what a review was given.

    Attributes:
        subject: The file, stack, pool or commitment.
        message: What is wrong, as a full clause.
        consequence: What is left out because of it, or what still holds.
    """

    subject: str
    message: str
    consequence: str

    def __str__(self) -> str:
        return f"{self.subject} {self.message}: {self.consequence}"
