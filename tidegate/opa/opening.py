"""The rule engine as commands and the pack use it: our own OPA, or a central one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tidegate.opa.central import CentralOpa, build_central_client
from tidegate.opa.program import find_opa
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.opa.server import OpaServer
from tidegate.policy.rule_set import RuleSet


@contextmanager
def open_rule_engine(
    pack: Path,
    rules: RuleSet,
    answer_seconds: float,
    central: CentralOpa | None = None,
    *,
    garbage_percent: int = 100,
) -> Iterator[OpaRuleEngine]:
    """Give what evaluates a pack's rules, and end it afterwards.

    Args:
        pack: The policy pack. Of a central OPA it says which rules must answer there.
        rules: Its rules.
        answer_seconds: How long one answer may take.
        central: The OPA to ask; without one, one is started for as long as it is needed.
        garbage_percent: See `OpaServer`.

    Raises:
        RuleEngineError: When our own OPA cannot be started.
    """
    if central is not None:
        client = build_central_client(central, answer_seconds)
        try:
            yield OpaRuleEngine(client, rules, central)
        finally:
            client.close_connection()
        return
    sources = [pack / "lib", pack / "rules"]
    with OpaServer(find_opa(), sources, garbage_percent=garbage_percent) as server:
        yield OpaRuleEngine(server.client(answer_seconds), rules)
