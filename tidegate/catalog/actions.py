"""The API actions that the controller uses on each cloud: the one list behind calls and roles.

A role that grants more than what is called, or less, is a fault; so calls and roles are held
against the same data, which says of each action why it is needed and what it can be held to.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Any

from tidegate.vocabulary.capacity import Cloud


class Purpose(StrEnum):
    """What the controller does with an action; the same words on every cloud."""

    OBSERVE_POOLS = "observe-pools"
    RESIZE_POOLS = "resize-pools"
    TERMINATE_INSTANCES = "terminate-instances"
    READ_NOTICES = "read-notices"
    READ_QUOTAS = "read-quotas"
    READ_RESERVATIONS = "read-reservations"
    READ_SPOT_MARKET = "read-spot-market"
    READ_METRICS = "read-metrics"
    OBSERVE_ENDPOINTS = "observe-endpoints"
    SCALE_ENDPOINTS = "scale-endpoints"
    OBSERVE_NOTEBOOKS = "observe-notebooks"
    STOP_NOTEBOOKS = "stop-notebooks"


class ActionScope(StrEnum):
    """What an action can be held to; each cloud's data file says which of these it knows."""

    ACCOUNT = "account"
    PROJECT = "project"
    SUBSCRIPTION = "subscription"
    POOL = "pool"
    STACK = "stack"
    CLUSTER = "cluster"
    GROUP = "group"
    QUEUE = "queue"
    WORKSPACE = "workspace"


WIDE: Mapping[Cloud, ActionScope] = {
    Cloud.AWS: ActionScope.ACCOUNT,
    Cloud.GCP: ActionScope.PROJECT,
    Cloud.AZURE: ActionScope.SUBSCRIPTION,
}
"""The widest scope of each cloud; an action that has it says why it can have no narrower one."""


@dataclass(frozen=True, slots=True)
class ApiAction:
    """One action of a cloud's API.

    Attributes:
        action: As the cloud's roles spell it ("eks:UpdateNodegroupConfig").
        purposes: What the controller does with it.
        why: What it is needed for, for people.
        scope: What it is held to.
        limit: What the cloud does not let be held more narrowly, and why; empty where nothing.
        source: The page that describes the action.
        resources: AWS: patterns of ARNs, with {partition}, {region} and {account} to fill in.
        data: Azure: whether it acts on data rather than on resources.
        also: Other things that it is held to as well.
    """

    action: str
    purposes: tuple[Purpose, ...]
    why: str
    scope: ActionScope
    limit: str
    source: str
    resources: tuple[str, ...] = ()
    data: bool = False
    also: tuple[ActionScope, ...] = ()


@dataclass(frozen=True, slots=True)
class CloudActions:
    """All actions that the controller uses on one cloud.

    Attributes:
        actions: In the order of the file.
        absent: Purposes for which the cloud has no action, each with the reason.
    """

    actions: tuple[ApiAction, ...]
    absent: Mapping[Purpose, str]

    def of_scope(self, scope: ActionScope) -> tuple[ApiAction, ...]:
        """Return the actions that are held to one kind of thing."""
        return tuple(each for each in self.actions if scope in (each.scope, *each.also))


def load_actions(cloud: Cloud) -> CloudActions:
    """Return the shipped list of one cloud."""
    file = resources.files("tidegate.catalog") / "data" / "actions" / f"{cloud.value}.toml"
    return parse_actions(file.read_text(encoding="utf-8"))


def parse_actions(text: str) -> CloudActions:
    """Return the list that a data file holds."""
    document = tomllib.loads(text)
    pages = document["sources"]
    absent = {Purpose(name): reason for name, reason in document.get("absent", {}).items()}
    return CloudActions(tuple(_parse(each, pages) for each in document["actions"]), absent)


def _parse(raw: Mapping[str, Any], pages: Mapping[str, str]) -> ApiAction:
    return ApiAction(
        action=raw["action"],
        purposes=tuple(Purpose(name) for name in raw["purposes"]),
        why=raw["why"],
        scope=ActionScope(raw["scope"]),
        limit=raw.get("limit", ""),
        source=pages[raw["source"]],
        resources=tuple(raw.get("resources", ())),
        data=raw.get("data", False),
        also=tuple(ActionScope(name) for name in raw.get("also", ())),
    )
