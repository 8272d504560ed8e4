"""The stack's configuration, read once, strictly, into one frozen value.

The only reader of `pulumi.Config`. Every key is known; every fault is reported, with all others,
before anything is declared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from sections import SECTIONS

from tidegate.manifest.faults import describe_faults
from tidegate.manifest.model import HourlyCeiling, Quota
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import Problem, nearest

NAMESPACE = "tidegate"
KEYS = {
    "environment": "the stage that every cost label carries, such as prod",
    "labels": "the cost labels that all resources share",
    "hourlyCeiling": "what the whole stack may cost an hour: amount and currency",
    "catalogOverlay": "a file with negotiated prices, from the project's directory",
    "quotas": "quotas that the team declares",
    "clusters": "the clusters to declare: aws, gcp, azure",
    **{section.key: section.holds for section in SECTIONS},
}
"""Every configuration key, and what it holds."""

WHERE = "configuration"


class Section(BaseModel):
    """Strict: an unknown key is an error, not silence."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True
    )


class AwsCluster(Section):
    """An EKS cluster with its network and roles."""

    region: str
    zones: list[str] = Field(min_length=2)
    account: str = Field(pattern=r"^\d{12}$")
    version: str = "1.33"
    cidr: str = "10.40.0.0/16"


class GcpCluster(Section):
    """A regional GKE cluster."""

    region: str
    zones: list[str] = Field(min_length=1)
    project: str = Field(pattern=r"^[a-z][-a-z0-9]{4,28}[a-z0-9]$")
    system_machine_type: str = "e2-standard-4"


class AzureCluster(Section):
    """An AKS cluster in a resource group of its own."""

    region: str
    subscription: str = Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    version: str = "1.33"
    system_vm_size: str = "Standard_D4s_v5"


CLUSTERS: dict[str, type[AwsCluster | GcpCluster | AzureCluster]] = {
    Cloud.AWS.value: AwsCluster,
    Cloud.GCP.value: GcpCluster,
    Cloud.AZURE.value: AzureCluster,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole configuration of one stack.

    Attributes:
        labels: The cost labels that all resources share, the environment included.
        clusters: The clusters to declare; a cloud that is absent is not used.
        refused_clouds: Clouds whose cluster is configured, but wrongly.
        components: Raw arguments of components by section and id, in Python's spelling.
    """

    project: str
    stack: str
    labels: dict[str, str]
    hourly_ceiling: HourlyCeiling | None
    catalog_overlay: Path | None
    quotas: tuple[Quota, ...]
    aws: AwsCluster | None
    gcp: GcpCluster | None
    azure: AzureCluster | None
    refused_clouds: frozenset[str] = frozenset()
    components: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def cluster_name(self) -> str:
        """Return the one name that the clusters of all clouds share."""
        return f"{self.project}-{self.stack}"

    def cluster(self, cloud: str) -> AwsCluster | GcpCluster | AzureCluster | None:
        """Return the cluster of one cloud by its name; None for a cloud that is not used."""
        found: AwsCluster | GcpCluster | AzureCluster | None = getattr(self, cloud, None)
        return found


def read_settings() -> tuple[Settings, list[Problem]]:
    """Return the configuration of the running stack, and what is wrong with it.

    With a problem the settings hold stand-ins, good only for finding further problems.
    """
    config = pulumi.Config(NAMESPACE)
    problems = find_unknown_keys({**get_config_env(), **CONFIG.get()})
    values = {key: _read(config, key, problems) for key in KEYS}
    clusters = _clusters(values["clusters"], problems)
    settings = Settings(
        project=pulumi.get_project(),
        stack=pulumi.get_stack(),
        labels=_labels(values["environment"], values["labels"], problems),
        hourly_ceiling=_model(HourlyCeiling, "hourlyCeiling", values["hourlyCeiling"], problems),
        catalog_overlay=_overlay(values["catalogOverlay"], problems),
        quotas=_quotas(values["quotas"], problems),
        aws=clusters.get("aws"),
        gcp=clusters.get("gcp"),
        azure=clusters.get("azure"),
        refused_clouds=frozenset(cloud for cloud, value in clusters.items() if value is None),
        components={
            section.key: _entries(section.key, values[section.key], problems)
            for section in SECTIONS
        },
    )
    return settings, problems


def find_unknown_keys(all_keys: Mapping[str, Any]) -> list[Problem]:
    """Return one problem for each key of our namespace that no one reads."""
    problems: list[Problem] = []
    for full_key in sorted(all_keys):
        namespace, _, key = full_key.partition(":")
        if namespace != NAMESPACE or key in KEYS:
            continue
        guess = nearest(key, KEYS)
        hint = f" (did you mean '{NAMESPACE}:{guess}'?)" if guess else ""
        expected = f"one of {', '.join(KEYS)}"
        problems.append(Problem(WHERE, full_key, "", f"is not a configuration key{hint}", expected))
    return problems


def snake_case(key: str) -> str:
    """Return a camelCase configuration key as the components' arguments spell it."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", key)


def _read(config: pulumi.Config, key: str, problems: list[Problem]) -> Any:
    """Return a value: structured where it is JSON of an object or list, else its text."""
    text = config.get(key)
    if text is None or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return config.get_object(key)
    except (ValueError, pulumi.ConfigTypeError):
        _report(problems, key, text, "is not readable", KEYS[key])
        return None


def _labels(environment: Any, shared: Any, problems: list[Problem]) -> dict[str, str]:
    if not isinstance(environment, str):
        _report(problems, "environment", None, "is required and is missing", KEYS["environment"])
        environment = "none"
    if not isinstance(shared, Mapping):
        _report(problems, "labels", shared, "is no set of labels", KEYS["labels"])
        shared = {}
    return {"environment": environment, **shared}


def _overlay(value: Any, problems: list[Problem]) -> Path | None:
    if value is None:
        return None
    path = Path(pulumi.get_root_directory()) / str(value)
    if not path.is_file():
        _report(problems, "catalogOverlay", value, "is no file", KEYS["catalogOverlay"])
        return None
    return path


def _quotas(value: Any, problems: list[Problem]) -> tuple[Quota, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        _report(problems, "quotas", value, "is not a list", "a list of quotas")
        return ()
    found = [_model(Quota, f"quotas[{index}]", item, problems) for index, item in enumerate(value)]
    return tuple(quota for quota in found if quota is not None)


def _clusters(value: Any, problems: list[Problem]) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        _report(problems, "clusters", value, "is not an object", "aws, gcp, azure")
        return {}
    found: dict[str, Any] = {}
    for cloud, item in value.items():
        model = CLUSTERS.get(cloud)
        if model is None:
            guess = nearest(cloud, CLUSTERS)
            hint = f" (did you mean {guess!r}?)" if guess else ""
            _report(problems, f"clusters.{cloud}", None, f"is no cloud{hint}", "aws, gcp, azure")
        else:
            # An empty entry is refused like a wrong one, key by key.
            found[cloud] = _model(model, f"clusters.{cloud}", item or {}, problems)
    return found


def _entries(section: str, value: Any, problems: list[Problem]) -> dict[str, dict[str, Any]]:
    """Return the entries of a section by id, their keys as the components spell them."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        _report(problems, section, value, "is not an object", KEYS[section])
        return {}
    found: dict[str, dict[str, Any]] = {}
    for identifier, item in value.items():
        if isinstance(item, Mapping):
            found[str(identifier)] = _spell(item)
        else:
            _report(problems, f"{section}.{identifier}", item, "is not an object", "its arguments")
    return found


_FREE_KEYS = frozenset(
    {"identifiers", "labels", "metadata", "node_labels", "quotas", "secrets", "sources"}
)
"""Mappings whose keys are a user's own words."""


def _spell(value: Any) -> Any:
    """Return a value with every argument's key in Python's spelling."""
    if isinstance(value, Mapping):
        spelt = {snake_case(key): item for key, item in value.items()}
        return {
            key: dict(item) if key in _FREE_KEYS and isinstance(item, Mapping) else _spell(item)
            for key, item in spelt.items()
        }
    return [_spell(item) for item in value] if isinstance(value, list) else value


def _model(model: type[Any], key: str, value: Any, problems: list[Problem]) -> Any:
    if value is None:
        return None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        for fault in describe_faults(WHERE, value, error):
            path = f"{NAMESPACE}:{key}.{fault.property}".rstrip(".")
            problems.append(Problem(WHERE, path, fault.value, fault.reason, fault.expected))
        return None


def _report(problems: list[Problem], key: str, value: object, reason: str, expected: str) -> None:
    shown = "" if value is None else repr(value)
    problems.append(Problem(WHERE, f"{NAMESPACE}:{key}", shown, reason, expected))
