"""Whatever goes wrong between here and a verdict is an error with words, never an empty set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegate.opa.program import find_opa
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.opa.server import OpaServer
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.ports import RuleEngine, RuleEngineError
from tidegate.vocabulary.verdicts import Level, Severity

PACK = Path(__file__).resolve().parents[3] / "policies"
MAIN = (PACK / "lib" / "main.rego").read_text()


def rule_set(*paths: str) -> RuleSet:
    return RuleSet(
        tuple(
            Rule(f"TG-X-00{i}", path, "t", "d", Severity.LOW, Level.ADVISORY, "r", "docs")
            for i, path in enumerate(paths)
        )
    )


@pytest.fixture
def serve(tmp_path):
    """Return what starts OPA on modules and gives (server, engine) for the rules named."""
    servers = []

    def start(modules: dict[str, str], *paths: str, timeout_seconds: float = 10.0):
        for name, text in modules.items():
            (tmp_path / name).write_text(text)
        server = OpaServer(find_opa(), [tmp_path])
        servers.append(server)
        return server, OpaRuleEngine(server.client(timeout_seconds), rule_set(*paths))

    yield start
    for server in servers:
        server.close()


def test_returns_every_rules_verdicts_with_the_rules_name(serve):
    _, engine = serve(
        {
            "main.rego": MAIN,
            "a.rego": 'package tidegate.rules.a.one\n\nverdicts contains {"urn": input.urn}\n',
            "b.rego": 'package tidegate.rules.b.two\n\nverdicts contains {"urn": "y"} if false\n',
        },
        "a/one",
        "b/two",
    )
    port: RuleEngine = engine
    assert port.evaluate({"urn": "x"}) == [{"urn": "x", "rule": "a/one"}]


def test_a_missing_path_is_an_error_although_opa_answers_200(serve):
    # opa-python-client#26: the body is {} and the client returns it
    _, engine = serve({"other.rego": "package other\n"}, "a/one")
    with pytest.raises(RuleEngineError, match=r"has no rule data\.tidegate\.main\.answers"):
        engine.evaluate({})


def test_a_rule_that_defines_no_verdicts_is_named(serve):
    # pulumi-policy-opa#38: a misspelt name that nothing runs
    module = 'package tidegate.rules.a.one\n\nverdict contains "x"\n'
    _, engine = serve({"main.rego": MAIN, "a.rego": module}, "a/one")
    with pytest.raises(RuleEngineError, match="no answer for a/one: no `verdicts` is defined"):
        engine.evaluate({})


def test_a_rule_that_was_not_loaded_is_named(serve):
    module = 'package tidegate.rules.a.{}\n\nverdicts contains "x" if false\n'
    modules = {"main.rego": MAIN, "a.rego": module.format("one"), "b.rego": module.format("two")}
    _, engine = serve(modules, "a/one")
    with pytest.raises(RuleEngineError, match="runs rules that were not loaded: a/two"):
        engine.evaluate({})


@pytest.mark.parametrize("answer", ['verdicts := {"a": 1}', "verdicts := true", "verdicts := [1]"])
def test_an_answer_that_is_no_set_of_verdicts_is_an_error(serve, answer):
    module = f"package tidegate.rules.a.one\n\n{answer}\n"
    _, engine = serve({"main.rego": MAIN, "a.rego": module}, "a/one")
    with pytest.raises(RuleEngineError, match="a/one answered no set of verdicts"):
        engine.evaluate({})


def test_a_built_in_that_fails_is_an_error_with_its_place(serve):
    module = "package tidegate.rules.a.one\n\nverdicts contains lower(input.x)\n"
    _, engine = serve({"main.rego": MAIN, "a.rego": module}, "a/one")
    with pytest.raises(RuleEngineError, match=r"OPA refused: .*lower: .*a\.rego:3"):
        engine.evaluate({"x": 1})


def test_verdicts_that_conflict_are_an_error(serve):
    module = "package tidegate.rules.a.one\n\nverdicts := {1} if true\n\nverdicts := {2} if true\n"
    _, engine = serve({"main.rego": MAIN, "a.rego": module}, "a/one")
    with pytest.raises(RuleEngineError, match=r"OPA refused: .* conflicting values"):
        engine.evaluate({})


def test_a_killed_opa_is_an_error(serve):
    module = 'package tidegate.rules.a.one\n\nverdicts contains "x" if false\n'
    server, engine = serve({"main.rego": MAIN, "a.rego": module}, "a/one")
    assert engine.evaluate({}) == []
    server._process.kill()
    server._process.wait()
    with pytest.raises(RuleEngineError, match="not running"):
        engine.evaluate({})


def test_a_slow_opa_is_an_error(serve):
    slow = """package tidegate.rules.a.one

verdicts contains {"n": n} if {
	some a in numbers.range(1, 4000)
	some b in numbers.range(1, 4000)
	n := a * b
	n < 0
}
"""
    _, engine = serve({"main.rego": MAIN, "a.rego": slow}, "a/one", timeout_seconds=0.2)
    with pytest.raises(RuleEngineError, match="did not answer in time"):
        engine.evaluate({})


def test_an_answer_that_is_no_json_is_an_error():
    class Proxy:
        def query_rule(self, *_arguments, **_more):
            import json

            return json.loads("<html>")

    with pytest.raises(RuleEngineError, match="no JSON"):
        OpaRuleEngine(Proxy(), rule_set("a/one")).evaluate({})


def test_errors_hold_nothing_of_the_input(serve):
    mark = "plaintext-of-a-secret"
    module = "package tidegate.rules.a.one\n\nverdicts contains to_number(input.x)\n"
    _, engine = serve({"main.rego": MAIN, "a.rego": module}, "a/one")
    with pytest.raises(RuleEngineError) as caught:
        engine.evaluate({"x": "many", "y": mark})
    assert mark not in str(caught.value)
