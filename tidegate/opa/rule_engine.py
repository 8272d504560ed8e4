"""The rule-engine port over OPA's REST interface, through opa-python-client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import requests

from tidegate.policy.rule_set import RuleSet
from tidegate.ports import RuleEngineError

ANSWERS = "tidegate.main.answers"
"""The one document that is asked for: `category/name` of each rule → its verdicts."""

# A built-in function that fails is an error; without this it would be undefined: no verdict.
_QUERY: Mapping[str, Any] = {"strict-builtin-errors": "true"}


class RuleClient(Protocol):
    """What this engine uses of opa-python-client (or of a central OPA's client)."""

    def query_rule(
        self,
        input_data: dict[str, Any],
        package_path: str,
        rule_name: str | None = None,
        query_params: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the decoded body of the answer; raise requests' errors."""
        ...


class OpaRuleEngine:
    """Evaluates a rule set on a document in one query."""

    def __init__(self, client: RuleClient, rules: RuleSet) -> None:
        self._client = client
        self._rules = rules

    def evaluate(self, document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the raw verdicts of every rule, each with its `rule` (`category/name`).

        Raises:
            RuleEngineError: When OPA is down or slow, refuses, cannot evaluate a rule, misses a
                rule or answers something that is no verdict set.
        """
        answers = self._ask(document)
        expected = {rule.path for rule in self._rules.rules}
        if missing := sorted(expected - answers.keys()):
            raise RuleEngineError(
                f"OPA has no answer for {', '.join(missing)}: no `verdicts` is defined there, "
                "so that nothing runs the rule"
            )
        if unknown := sorted(answers.keys() - expected):
            raise RuleEngineError(f"OPA runs rules that were not loaded: {', '.join(unknown)}")
        return [verdict for path in sorted(answers) for verdict in _verdicts(path, answers[path])]

    def _ask(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        package, _, rule = ANSWERS.rpartition(".")
        try:
            body = self._client.query_rule(dict(document), package, rule, _QUERY)
        except requests.Timeout as error:
            raise RuleEngineError("OPA did not answer in time") from error
        except requests.HTTPError as error:
            raise RuleEngineError(f"OPA refused: {_reason(error.response)}") from error
        except requests.ConnectionError as error:
            raise RuleEngineError("OPA cannot be reached; it is not running") from error
        except (requests.RequestException, ValueError) as error:
            raise RuleEngineError(f"OPA answered no JSON: {type(error).__name__}") from error
        if not isinstance(body, dict) or not isinstance(body.get("result"), dict):
            raise RuleEngineError(f"OPA has no rule data.{ANSWERS}: the rules are not loaded there")
        result: Mapping[str, Any] = body["result"]
        return result


def _verdicts(path: str, answer: Any) -> list[dict[str, Any]]:
    if not isinstance(answer, list) or not all(isinstance(item, dict) for item in answer):
        raise RuleEngineError(f"the rule {path} answered no set of verdicts")
    return [{**item, "rule": path} for item in answer]


def _reason(response: requests.Response | None) -> str:
    """Return OPA's own words about a failed evaluation: message and place, nothing of the input."""
    if response is None:
        return "no response"
    try:
        body = response.json()
    except json.JSONDecodeError:
        return f"HTTP {response.status_code}"
    details = [
        f"{item.get('message')} ({place.get('file')}:{place.get('row')})"
        for item in body.get("errors", [])
        if (place := item.get("location")) is not None
    ]
    return "; ".join([str(body.get("message", f"HTTP {response.status_code}")), *details])
