"""What configuration says to one run of the pack, which the engine tells in two calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import RuleConfiguration, parse_configuration
from tidegate.policy.graph import StackFacts
from tidegate.policy.remedy import read_own_labels
from tidegate.policy.rule_set import RuleSet

WHERE = "policy configuration"


class PackTerms:
    """Parameters and levels of one stack.

    Attributes:
        nearer: What configuration says of its environment and of itself alone.
        own_labels: The labels that the stack's configuration gives to all that it makes.
    """

    def __init__(self, rules: RuleSet, check: StackCheck) -> None:
        self._rules = rules
        self._check = check
        self._stack = StackFacts()
        self._document = RuleConfiguration()
        self.nearer = RuleConfiguration()
        self.own_labels: Mapping[str, str] = {}

    def take_document(self, document: Mapping[str, Mapping[str, Any]]) -> None:
        """Take the parameters of the pack's configuration by rule; levels are the SDK's.

        Raises:
            InvalidInput: For a name that no rule has, or a parameter that does not fit; the
                engine passes both on.
        """
        self._document = parse_configuration(WHERE, document, self._rules)
        self._apply()

    def take_stack(
        self, project: str, stack: str, config: Mapping[str, str], secret_keys: frozenset[str]
    ) -> None:
        """Take the stack and its configuration, in which values are plaintext.

        Of secrets nothing is looked at, and of the rest what stands for environment and labels.
        """
        key = f"{project}:environment"
        environment = "" if key in secret_keys else config.get(key, "")
        self._check.configure_stack(project, stack, environment)
        self._stack = StackFacts(project, stack, environment or stack)
        self.own_labels = read_own_labels(config, project, secret_keys)
        self._apply()

    def _apply(self) -> None:
        self._check.configure(self._document.for_stack(self._stack).parameters)
        sections = replace(self._document, parameters={}, levels={}, disabled=frozenset())
        self.nearer = sections.for_stack(self._stack)
