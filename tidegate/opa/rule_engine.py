"""The rule-engine port over OPA's REST interface, through opa-python-client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import requests

from tidegate.opa.central import CentralOpa, check_provenance
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

    def __init__(
        self, client: RuleClient, rules: RuleSet, central: CentralOpa | None = None
    ) -> None:
        """Ask a client.

        Args:
            client: What reaches OPA.
            rules: The rules that must answer, no more and no fewer.
            central: The OPA of somebody else that the client reaches; None for our own.
        """
        self._client = client
        self._rules = rules
        self._central = central
        self._name = f"the OPA at {central.url}" if central else "OPA"
        self._answers = central.path.replace("/", ".") if central else ANSWERS
        self._query = {**_QUERY, "provenance": "true"} if central and central.bundle else _QUERY

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
                f"{self._name} has no answer for {', '.join(missing)}: no `verdicts` is defined "
                "there, so that nothing runs the rule"
            )
        if unknown := sorted(answers.keys() - expected):
            raise RuleEngineError(
                f"{self._name} runs rules that were not loaded: {', '.join(unknown)}"
            )
        return [verdict for path in sorted(answers) for verdict in _verdicts(path, answers[path])]

    def _ask(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        package, _, rule = self._answers.rpartition(".")
        name = self._name
        try:
            body = self._client.query_rule(dict(document), package, rule, self._query)
        except requests.Timeout as error:
            raise RuleEngineError(f"{name} did not answer in time") from error
        except requests.HTTPError as error:
            raise RuleEngineError(f"{name} refused: {_reason(error.response)}") from error
        except requests.exceptions.SSLError as error:
            raise RuleEngineError(f"{name} is not trusted: {_certificate_fault(error)}") from error
        except requests.TooManyRedirects as error:
            raise RuleEngineError(f"{name} sends on to another place") from error
        except requests.ConnectionError as error:
            raise RuleEngineError(f"{name} cannot be reached; it is not running") from error
        except (requests.RequestException, ValueError) as error:
            raise RuleEngineError(f"{name} answered no JSON: {type(error).__name__}") from error
        if not isinstance(body, dict) or not isinstance(body.get("result"), dict):
            raise RuleEngineError(
                f"{name} has no rule data.{self._answers}: the rules are not loaded there"
            )
        if self._central:
            check_provenance(self._central, body.get("provenance"))
        result: Mapping[str, Any] = body["result"]
        return result


def _certificate_fault(error: Exception) -> str:
    """Return the one clause of a long chain of errors that says what is wrong with it."""
    text = str(error)
    _, found, rest = text.partition("certificate verify failed: ")
    if not found:
        return "its TLS connection cannot be made"
    fault = rest.partition(" (_ssl.")[0]
    return f"certificate verify failed: {fault} (TIDEGATE_OPA_CA names others)"


def _verdicts(path: str, answer: Any) -> list[dict[str, Any]]:
    if not isinstance(answer, list) or not all(isinstance(item, dict) for item in answer):
        raise RuleEngineError(f"the rule {path} answered no set of verdicts")
    return [{**item, "rule": path} for item in answer]


def _reason(response: requests.Response | None) -> str:
    """Return OPA's own words about a failed evaluation: message and place, nothing of the input."""
    if response is None:
        return "no response"
    if response.status_code in (401, 403):
        return f"HTTP {response.status_code}: it wants another token (TIDEGATE_OPA_TOKEN)"
    try:
        body = response.json()
    except json.JSONDecodeError:
        return f"HTTP {response.status_code}"
    if not isinstance(body, dict):
        return f"HTTP {response.status_code}"
    details = [
        f"{item.get('message')} ({place.get('file')}:{place.get('row')})"
        for item in body.get("errors") or []
        if isinstance(item, dict) and (place := item.get("location")) is not None
    ]
    return "; ".join([str(body.get("message", f"HTTP {response.status_code}")), *details])
