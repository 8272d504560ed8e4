"""The thin adapter between Pulumi's analyzer protocol and Tidegate's rules.

pulumi-policy runs one Python function a policy and decodes every resource again for each,
without the marks of secrets and with unknowns that raise. Here a resource is decoded once, with
its marks, and all rules answer in one query; what is reported, configured and shown stays the
SDK's. That takes a subclass of its servicer, which is private: the SDK is pinned to one minor
version, and a test runs the pack under the real engine.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pulumi_policy.policy as sdk
from google.protobuf import empty_pb2, json_format, struct_pb2

# The engine runs this directory as a program, so that its modules are top-level ones.
from pack_terms import PackTerms
from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel, PolicyConfigSchema, PolicyPack, ResourceValidationPolicy
from pulumi_policy import Severity as SdkSeverity

from tidegate.catalog.load import load_catalog
from tidegate.opa.central import read_central_opa
from tidegate.opa.opening import open_rule_engine
from tidegate.opa.pack import load_rules
from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import RuleConfiguration
from tidegate.policy.graph import Provider, Resource, normalize_type
from tidegate.policy.messages import render_violation
from tidegate.policy.remedy import LABELS_RULE, MissingLabels, add_labels
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.policy.values import decode_properties
from tidegate.vocabulary.verdicts import Level, Outcome, Verdict

PACK_NAME = "tidegate"
ANSWER_SECONDS = 60.0
"""How long OPA may take for one answer: a whole stack of 10,000 resources takes about a second."""

GARBAGE_PERCENT = 400
"""OPA needs 60 MB and may grow to 300 before it collects: that saves a sixth of its time."""

_LEVELS = {
    Level.ADVISORY: EnforcementLevel.ADVISORY,
    Level.MANDATORY: EnforcementLevel.MANDATORY,
}


def run_pack(directory: Path) -> None:
    """Serve the pack in `directory` to the engine until the engine ends it."""
    rules = load_rules(directory)
    central = read_central_opa(os.environ)
    opened = open_rule_engine(
        directory, rules, ANSWER_SECONDS, central, garbage_percent=GARBAGE_PERCENT
    )
    with opened as engine:
        today = datetime.now(UTC).date().isoformat()
        check = StackCheck(rules, engine, load_catalog(), today)
        policies = {rule.id: _build_policy(rule) for rule in rules.rules}
        # PolicyPack builds its servicer by this name and takes no other.
        sdk._PolicyAnalyzerServicer = _build_servicer(check, rules, policies)  # type: ignore[misc]  # noqa: SLF001
        PolicyPack(PACK_NAME, list(policies.values()))


def _build_policy(rule: Rule) -> ResourceValidationPolicy:
    return ResourceValidationPolicy(
        name=rule.id,
        description=rule.title,
        validate=_answered_by_servicer,
        enforcement_level=_LEVELS[rule.level],
        severity=SdkSeverity(rule.severity.value),
        config_schema=PolicyConfigSchema(
            {key: dict(value) for key, value in rule.parameters.items()}
        ),
        remediation_steps=rule.remediation,
        url=rule.docs,
    )


def _answered_by_servicer(_arguments: object, _report: object) -> None:
    raise AssertionError("the servicer answers for all rules at once and calls no single policy")


def _build_servicer(
    check: StackCheck, rules: RuleSet, policies: dict[str, ResourceValidationPolicy]
) -> type[sdk._PolicyAnalyzerServicer]:
    terms = PackTerms(rules, check)

    class Analyzer(sdk._PolicyAnalyzerServicer):  # noqa: SLF001 - see the module's words
        """Answers for every rule in one query. Requests may come from several threads."""

        _lock = threading.Lock()

        def Configure(self, request: Any, context: Any) -> empty_pb2.Empty:  # noqa: N802 - gRPC
            super().Configure(request, context)  # type: ignore[no-untyped-call]
            # The engine also passes names that no policy has; they are refused, not ignored.
            given = {name: self._get_policy_config(name) or {} for name in request.policyConfig}
            with self._lock:
                terms.take_document(given)
            return empty_pb2.Empty()

        def ConfigureStack(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
            secret = frozenset(request.config_secret_keys)
            with self._lock:
                terms.take_stack(request.project, request.stack, request.config, secret)
            return super().ConfigureStack(request, context)

        def Analyze(self, request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
            with self._lock:
                return self._respond(check.judge_resource(_read_resource(request)))

        def AnalyzeStack(self, request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
            with self._lock:
                seen = [_read_resource(resource) for resource in request.resources]
                return self._respond(check.judge_stack(seen))

        def Remediate(self, request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
            response = proto.RemediateResponse()
            if self._level(LABELS_RULE) is EnforcementLevel.REMEDIATE:
                with self._lock:
                    missing = check.find_missing_labels(_read_resource(request))
                remediation = _remediate(request, missing, terms.own_labels, rules)
                response.remediations.extend(remediation)
            return response

        def _level(self, rule: str) -> EnforcementLevel:
            return _find_level(terms.nearer, rule, self._get_enforcement_level(policies[rule]))

        def _respond(self, verdicts: Iterable[Verdict]) -> Any:
            response = proto.AnalyzeResponse()
            for verdict, level in _weigh(verdicts, rules, self._level):
                policy = policies[verdict.rule]
                report = self._create_report_violation(
                    response, policy.name, policy.description, level, policy.severity
                )
                report(render_violation(verdict, rules.rule(verdict.rule)), verdict.urn)
            return response

    return Analyzer


def _weigh(
    verdicts: Iterable[Verdict], rules: RuleSet, level_of: Callable[[str], EnforcementLevel]
) -> Iterator[tuple[Verdict, EnforcementLevel]]:
    """Return what is reported, and how."""
    for verdict in verdicts:
        level = _decide_level(level_of(verdict.rule), rules.rule(verdict.rule), verdict)
        if level is not EnforcementLevel.DISABLED:
            yield verdict, level


def _decide_level(configured: EnforcementLevel, rule: Rule, verdict: Verdict) -> EnforcementLevel:
    """Return how a verdict is reported: only a failure can stop anything.

    A rule that is mandatory from a day on is so whatever the pack's level says.
    """
    if configured is EnforcementLevel.DISABLED:
        return configured
    if verdict.outcome is not Outcome.FAIL:
        return EnforcementLevel.ADVISORY
    if rule.level is Level.ADVISORY and verdict.level is Level.MANDATORY:
        return EnforcementLevel.MANDATORY
    # What still fails after it was remediated is refused.
    is_remediate = configured is EnforcementLevel.REMEDIATE
    return EnforcementLevel.MANDATORY if is_remediate else configured


def _find_level(
    nearer: RuleConfiguration, rule: str, configured: EnforcementLevel
) -> EnforcementLevel:
    """Return the level of a rule: a section of configuration's, else the document's."""
    if rule in nearer.disabled:
        return EnforcementLevel.DISABLED
    if rule in nearer.remediated:
        return EnforcementLevel.REMEDIATE
    return _LEVELS[nearer.levels[rule]] if rule in nearer.levels else configured


def _remediate(
    request: Any, missing: Iterable[MissingLabels], own: Mapping[str, str], rules: RuleSet
) -> list[Any]:
    """Return the one remediation of a resource, or none.

    The protocol's own form of its inputs is changed, so that secrets and unknowns keep their
    marks.
    """
    properties = json_format.MessageToDict(request.properties)
    added = [add_labels(properties, each, own) for each in missing]
    if not any(added):
        return []
    return [
        proto.Remediation(
            policyName=LABELS_RULE,
            policyPackName=PACK_NAME,
            description=f"{rules.rule(LABELS_RULE).title}: added what the stack's labels give",
            properties=json_format.ParseDict(properties, struct_pb2.Struct()),
        )
    ]


def _read_resource(request: Any) -> Resource:
    """Return an AnalyzeRequest or AnalyzerResource decoded: unknowns marked, secrets gone."""
    dependencies = getattr(request, "propertyDependencies", {})
    return Resource(
        urn=request.urn,
        type=normalize_type(request.type),
        name=request.name,
        properties=decode_properties(json_format.MessageToDict(request.properties)),
        provider=_read_provider(request),
        parent=getattr(request, "parent", "") or request.options.parent,
        protect=request.options.protect,
        ignore_changes=tuple(request.options.ignoreChanges),
        dependencies={name: tuple(value.urns) for name, value in dependencies.items()},
    )


def _read_provider(request: Any) -> Provider | None:
    if not request.HasField("provider"):
        return None
    properties = decode_properties(json_format.MessageToDict(request.provider.properties))
    return Provider(request.provider.urn, properties)
