"""What the stack will declare: arguments completed, checked and merged before anything exists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from config import WHERE, Settings
from relations import NODE_SECTIONS, complete_access, complete_controller, complete_queues
from sections import SECTIONS, Section

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.build import build_manifest, dump_manifest
from tidegate.manifest.check import FindingLevel, check_manifest
from tidegate.manifest.model import Manifest
from tidegate.vocabulary.capacity import Cloud, WorkloadClass
from tidegate.vocabulary.problems import InvalidInput, Problem

RENAMED_FROM = "renamed_from"
"""The key by which an entry says what it was called: it keeps what it has in the cloud."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Complete arguments of every component by section and id, and the manifest they make.

    Attributes:
        arguments: Section → id → the arguments, save those known only after creation.
        manifest: What the stack's output `capacity` will say.
        renamed: Section → id → the id that the component had before.
        warnings: What a person should look at.
    """

    arguments: dict[str, dict[str, dict[str, Any]]]
    manifest: Manifest
    renamed: dict[str, dict[str, str]]
    warnings: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    """A plan that grows component by component, with every fault found on the way."""

    settings: Settings
    catalog: Catalog
    problems: list[Problem]
    arguments: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    renamed: dict[str, dict[str, str]] = field(default_factory=dict)
    fragments: list[dict[str, Any]] = field(default_factory=list)
    without_pools: set[str] = field(default_factory=set)

    def add_section(self, section: Section) -> None:
        """Complete and check the components of a section."""
        self.arguments[section.key] = {}
        self.renamed[section.key] = {}
        for identifier, raw in self.settings.components[section.key].items():
            args = _complete(self.settings, section, identifier, raw, self.problems)
            if args is not None:
                self._add(section, identifier, args)

    def _add(self, section: Section, identifier: str, args: dict[str, Any]) -> None:
        if earlier := args.pop(RENAMED_FROM, None):
            self.renamed[section.key][identifier] = str(earlier)
        if section.key == "queues" and args["cloud"] in self.without_pools:
            return  # its pools are refused, and it cannot be judged without them
        if section.key == "controllers" and self.problems:
            return  # there is no manifest to work on
        args = self._relate(section, args)
        self.arguments[section.key][identifier] = args
        try:
            spec = section.check(identifier, args, self.catalog)
        except InvalidInput as error:
            self.problems += map(as_configured, error.problems)
            if section.key in NODE_SECTIONS:
                self.without_pools.add(args["cloud"])
        else:
            self.fragments.append(spec.to_fragment())

    def _relate(self, section: Section, args: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with what they take of other components."""
        cluster = self.settings.cluster_name()
        if section.key == "controllerAccess":
            return complete_access(args, self.arguments, cluster)
        if section.key == "queues":
            return complete_queues(args, self.fragments, cluster)
        if section.key == "controllers":
            manifest = build_stack_manifest(self.settings, self.catalog, self.fragments)
            return complete_controller(args, self.arguments, dump_manifest(manifest), cluster)
        return args


def plan_stack(settings: Settings, catalog: Catalog, found: Sequence[Problem] = ()) -> Plan:
    """Complete and check all arguments; `found` is what the configuration itself gets wrong.

    Raises:
        InvalidInput: With every fault of every component, or of what they make together.
    """
    draft = _Draft(settings, catalog, [*found])
    for section in SECTIONS:
        draft.add_section(section)
    if draft.problems:
        raise InvalidInput(say_shared_once(draft.problems, settings.labels))
    manifest = build_stack_manifest(settings, catalog, draft.fragments)
    findings = check_manifest(manifest)
    errors = [each.problem for each in findings if each.level is FindingLevel.ERROR]
    if errors:
        raise InvalidInput(errors)
    warnings = [each.problem for each in findings]
    return Plan(draft.arguments, manifest, draft.renamed, warnings)


def build_stack_manifest(
    settings: Settings, catalog: Catalog, fragments: list[dict[str, Any]]
) -> Manifest:
    """Merge the components' fragments into the stack's manifest."""
    return build_manifest(
        fragments,
        project=settings.project,
        stack=settings.stack,
        catalog_digest=catalog.digest,
        hourly_ceiling=settings.hourly_ceiling,
        quotas=settings.quotas,
    )


def say_shared_once(problems: Sequence[Problem], shared: Mapping[str, Any]) -> list[Problem]:
    """Return the problems with what every component says of the shared labels said once.

    A fault of `tidegate:labels` is one fault, however many components carry the label.
    """
    once: dict[Problem, None] = {}
    for problem in problems:
        section, _, key = problem.property.partition(".")
        if section == "labels" and key in shared and problem.value == repr(shared[key]):
            problem = replace(problem, where=WHERE, property=f"tidegate:labels.{key}")
        once[problem] = None
    return list(once)


def as_configured(problem: Problem) -> Problem:
    """Return a component's problem in the spelling of the configuration file."""
    texts = {
        name: re.sub(
            r"\b[a-z]+(?:_[a-z]+)+\b",
            lambda match: re.sub(r"_([a-z])", lambda part: part[1].upper(), match[0]),
            getattr(problem, name),
        )
        for name in ("property", "reason", "expected")
    }
    return replace(problem, **texts)


def _complete(
    settings: Settings,
    section: Section,
    identifier: str,
    raw: dict[str, Any],
    problems: list[Problem],
) -> dict[str, Any] | None:
    """Return the arguments with what the configuration states once for all of them."""
    cloud = str(raw.get("cloud", ""))
    cluster = settings.cluster(cloud) if cloud in set(Cloud) else None
    if cloud in settings.refused_clouds:
        return None  # said already, where the cluster is configured
    if cluster is None and not section.stands_alone:
        key = f"tidegate:{section.key}.{identifier}.cloud"
        known = [name.value for name in Cloud if settings.cluster(name.value) is not None]
        reason = "has no cluster in tidegate:clusters"
        problems.append(Problem(WHERE, key, repr(cloud), reason, f"one of {', '.join(known)}"))
        return None
    args = dict(raw)
    args["labels"] = {
        **settings.labels,
        "workload-class": args.pop("workload_class", WorkloadClass.PLATFORM.value),
        **dict(args.get("labels") or {}),
    }
    if cluster is not None:
        if section.has_region:
            args.setdefault("region", cluster.region)
        args.setdefault("account", _account(settings, cloud))
    if section.zoned:
        args.setdefault("zones", list(getattr(cluster, "zones", [])))
    if section.joins:
        args["cluster"] = settings.cluster_name()
    return args


def _account(settings: Settings, cloud: str) -> str:
    """Return who pays in a cloud: AWS account, Google project or Azure subscription."""
    cluster: Any = settings.cluster(cloud)
    names = {"aws": "account", "gcp": "project", "azure": "subscription"}
    return str(getattr(cluster, names[cloud]))
