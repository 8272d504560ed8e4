"""Kinds read from data: `data/azure_kinds.toml` and its like, in the words of `kind.py`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from tidegate.localclouds.azure import (
    budget_rules,
    event_rules,
    fleet_rules,
    ml_rules,
    monitor_rules,
    role_rules,
    vault_rules,
)
from tidegate.localclouds.azure.kind import Kind, Reference, Rule
from tidegate.localclouds.azure.kind_shapes import SHAPES
from tidegate.localclouds.rules import Limit, TypeRules

FILES = ("azure_kinds.toml", "azure_ml_kinds.toml")
TRACKED = frozenset({"location", "tags"})

# What a type refuses that takes more than one look at one value.
RULES: Mapping[str, Rule] = {
    "Microsoft.AzureFleet/fleets": fleet_rules.check_fleet,
    "Microsoft.Authorization/roleDefinitions": role_rules.check_role_definition,
    "Microsoft.Consumption/budgets": budget_rules.check_budget,
    "Microsoft.CostManagement/budgets": budget_rules.check_budget,
    "Microsoft.CostManagement/scheduledActions": budget_rules.check_scheduled_action,
    "Microsoft.EventGrid/systemTopics": event_rules.check_system_topic,
    "Microsoft.EventGrid/systemTopics/eventSubscriptions": event_rules.check_event_subscription,
    "Microsoft.Insights/autoscaleSettings": monitor_rules.check_autoscale_setting,
    "Microsoft.KeyVault/vaults": vault_rules.check_vault,
    "Microsoft.MachineLearningServices/workspaces": ml_rules.check_workspace,
    "Microsoft.MachineLearningServices/workspaces/computes": ml_rules.check_compute,
    "Microsoft.MachineLearningServices/workspaces/onlineEndpoints": ml_rules.check_endpoint,
    "Microsoft.MachineLearningServices/workspaces/onlineEndpoints/deployments": (
        ml_rules.check_deployment
    ),
}
AS_THEY_ARE = (
    "gone_status",
    "has_state",
    "is_extension",
    "is_global",
    "name_pattern",
    "name_rule",
    "owns_properties",
    "type",
    "waits",
)


def load_kinds() -> dict[str, Kind]:
    """Read the kinds by Pulumi token."""
    data = resources.files("tidegate.localclouds") / "data"
    types: dict[str, dict[str, Any]] = {}
    for file in FILES:
        types |= tomllib.loads((data / file).read_text(encoding="utf-8"))["types"]
    return {
        token: _build(token, types[body.get("same_as", token)]) for token, body in types.items()
    }


def _build(token: str, body: Mapping[str, Any]) -> Kind:
    envelope = frozenset(body.get("envelope", ()))
    given = {name: body[name] for name in AS_THEY_ARE if name in body}
    if body["type"] in RULES:
        given["check"] = RULES[body["type"]]
    return Kind(
        token=token,
        names=tuple(body["names"]),
        envelope=envelope | TRACKED if body.get("tracked") else envelope,
        shape=SHAPES[body.get("shape", "")],
        limits=TypeRules(limits=tuple(_build_limit(limit) for limit in body.get("limits", ()))),
        references=tuple(_build_reference(each) for each in body.get("references", ())),
        required=tuple(body.get("required", ())),
        fixed=tuple(body.get("fixed", ())),
        defaults=body.get("defaults", {}),
        **given,
    )


def _build_reference(body: Mapping[str, Any]) -> Reference:
    return Reference(body["at"], tuple(body.get("types", ())))


def _build_limit(body: Mapping[str, Any]) -> Limit:
    given: dict[str, Any] = {
        word: tuple(value) if isinstance(value, list) else value for word, value in body.items()
    }
    return Limit(**given)
