"""One check of one stack as its resources come by: first one by one, in the end together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.policy.answers import order_verdicts, parse_verdicts
from tidegate.policy.document import build_shared
from tidegate.policy.graph import (
    STACK_TYPE,
    Resource,
    ResourceGraph,
    StackFacts,
    find_exported,
)
from tidegate.policy.label_sites import LAUNCH_TEMPLATE_TYPE
from tidegate.policy.levels import decide_levels
from tidegate.policy.parameters import build_parameters
from tidegate.policy.portions import build_questions
from tidegate.policy.remedy import LABELS_RULE, MissingLabels, find_missing_labels
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.values import decode_value
from tidegate.ports import RuleEngine
from tidegate.vocabulary.problems import refuse, suggest
from tidegate.vocabulary.verdicts import Outcome, Verdict

_IDENTIFIERS = ("id", "name", "arn")


class StackCheck:
    """Judges resources as the engine shows them and says everything once.

    The engine shows a resource's inputs when it is about to be made, and all resources with
    their outputs at the end. Rules judge inputs both times (outputs hold what a cloud filled in);
    the end adds what only the whole stack tells: dependencies and identifiers.
    """

    def __init__(
        self, rules: RuleSet, engine: RuleEngine, catalog: Catalog | None = None, date: str = ""
    ) -> None:
        """Start a check.

        Args:
            rules: The rules that are asked.
            engine: What evaluates them.
            catalog: Where prices are looked up; without one, no price is known.
            date: Today in ISO 8601; "" where rules that hold from a day on do not hold yet.
        """
        self._rules = rules
        self._catalog = catalog
        self._date = date
        self._engine = engine
        self._stack = StackFacts()
        self._inputs: dict[str, Resource] = {}
        # What a pool starts machines from is shown before the pool, without saying for which.
        self._templates: dict[str, Resource] = {}
        self._said: set[Verdict] = set()
        self.configure({})

    def configure(self, parameters: Mapping[str, Mapping[str, Any]]) -> None:
        """Take parameters by rule id.

        Raises:
            InvalidInput: For an unknown rule, an unknown parameter or one that does not fit its
                schema.
        """
        for name in parameters:
            if name not in self._rules.ids:
                reason = "is no rule" + suggest(name, self._rules.ids)
                raise refuse("policy configuration", name, None, reason, "a rule of this pack")
        self._parameters = {
            rule.id: build_parameters(rule.id, rule.parameters, _plain(parameters.get(rule.id, {})))
            for rule in self._rules.rules
        }
        self._shared = build_shared(self._parameters, catalog=self._catalog)
        self._levels = decide_levels(self._rules, self._parameters, self._date)

    def configure_stack(self, project: str, name: str, environment: str) -> None:
        """Take what is known of the stack; without an environment its name stands for it."""
        self._stack = StackFacts(project, name, environment or name)

    def judge_resource(self, resource: Resource) -> tuple[Verdict, ...]:
        """Return what rules say of one resource by its inputs alone."""
        self._inputs[resource.urn] = resource
        context = tuple(self._templates.values())
        if resource.type == LAUNCH_TEMPLATE_TYPE:
            self._templates[resource.urn] = resource
        graph = ResourceGraph(self._stack, (resource,), complete=False, context=context)
        verdicts = self._judge(graph)
        self._said.update(verdicts)
        return verdicts

    def find_missing_labels(self, resource: Resource) -> tuple[MissingLabels, ...]:
        """Return which required cost labels a resource is known to lack; nothing is asked."""
        graph = ResourceGraph(self._stack, (resource,), complete=False)
        return find_missing_labels(resource, graph, self._parameters.get(LABELS_RULE, {}))

    def judge_stack(self, resources: Iterable[Resource]) -> tuple[Verdict, ...]:
        """Return what rules say of the whole stack and have not said before.

        Args:
            resources: All resources, with outputs for properties.
        """
        shown = tuple(resources)
        outputs = [each.properties for each in shown if each.type == STACK_TYPE]
        manifest, hidden = find_exported(outputs)
        whole = tuple(self._with_inputs(resource) for resource in shown)
        graph = ResourceGraph(
            self._stack, whole, complete=True, manifest=manifest, manifest_hidden=hidden
        )
        verdicts = self._judge(graph)
        return tuple(verdict for verdict in verdicts if verdict not in self._said)

    def judge_graph(self, graph: ResourceGraph) -> tuple[Verdict, ...]:
        """Return every verdict on a stack that is known as a whole, passes included.

        What rules say of one resource alone they say here too.
        """
        questions = build_questions(graph, self._rules, self._shared, self._catalog, self._date)
        return order_verdicts(
            verdict
            for question in questions
            for verdict in parse_verdicts(
                tuple(self._engine.evaluate(question)), self._rules, graph, self._levels
            )
        )

    def _with_inputs(self, shown: Resource) -> Resource:
        identifiers = {
            key: value
            for key in _IDENTIFIERS
            if isinstance(value := shown.properties.get(key), str)
        }
        inputs = self._inputs.get(shown.urn)
        if inputs is None:
            return replace(shown, identifiers=identifiers)
        return replace(inputs, identifiers=identifiers, dependencies=shown.dependencies)

    def _judge(self, graph: ResourceGraph) -> tuple[Verdict, ...]:
        verdicts = self.judge_graph(graph)
        return tuple(verdict for verdict in verdicts if _is_worth_saying(verdict))


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    # The engine fills in defaults and passes every number as a float.
    return {name: decode_value(value) for name, value in parameters.items()}


def _is_worth_saying(verdict: Verdict) -> bool:
    if verdict.outcome in (Outcome.FAIL, Outcome.UNKNOWN):
        return True
    return verdict.outcome is Outcome.PASS and bool(verdict.message)
