"""The edges as Protocols: what the rooms above wire to what the rooms below decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tidegate.vocabulary.problems import Unavailable


class RuleEngine(Protocol):
    """Evaluates the rules on one prepared input document."""

    def evaluate(self, document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the raw verdict objects that the rules give for `document`.

        Raises:
            RuleEngineError: When the engine is down, slow, answers something that is no
                verdict set, or misses a rule; never an empty answer instead.
        """
        ...


class RuleEngineError(Unavailable):
    """The rule engine could not answer; nothing was judged."""
