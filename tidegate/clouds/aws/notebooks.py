"""SageMaker notebook instances and the apps of Studio users: how they are, and stopping them.

Sources: SageMaker API reference, StopNotebookInstance, ListApps, DescribeApp (which tells the last
activity of a user) and DeleteApp, which ends an app and keeps its space's disk (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from tidegate.clouds.aws.refusals import refusing
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState

CALLS = {
    "describe_notebook_instance": "sagemaker:DescribeNotebookInstance",
    "stop_notebook_instance": "sagemaker:StopNotebookInstance",
    "list_spaces": "sagemaker:ListSpaces",
    "list_apps": "sagemaker:ListApps",
    "describe_app": "sagemaker:DescribeApp",
    "delete_app": "sagemaker:DeleteApp",
}
"""Each method of the SDK that is called here → the action that the controller's role must allow."""

PHASES = {
    "InService": ReapablePhase.RUNNING,
    "Stopped": ReapablePhase.STOPPED,
    "Failed": ReapablePhase.FAILED,
}
"""Status of an instance → phase; every other one changes."""
FREE_APPS = frozenset({"JupyterServer"})
"""Kinds of apps that run on a machine of SageMaker's own, which costs nothing."""
GOING = frozenset({"Deleted", "Deleting", "Failed"})
MOST_PAGES = 100


class NotebookInstance:
    """One notebook instance. It tells nothing of its kernels: a signal has to."""

    def __init__(self, key: str, name: str, sagemaker: Any) -> None:
        self.key = key
        self._name = name
        self._sagemaker = sagemaker

    def fetch_state(self) -> ReapableState:
        """Return whether it runs; a start or a stop is its last change."""
        with refusing(f"reading notebook instance {self._name}"):
            found = self._sagemaker.describe_notebook_instance(NotebookInstanceName=self._name)
        phase = PHASES.get(found["NotebookInstanceStatus"], ReapablePhase.CHANGING)
        return ReapableState(
            id=self.key,
            phase=phase,
            size=1 if phase is ReapablePhase.RUNNING else 0,
            since=found.get("LastModifiedTime"),
        )

    def apply_stop(self) -> None:
        """Stop it; its disk stays."""
        with refusing(f"stopping notebook instance {self._name}"):
            self._sagemaker.stop_notebook_instance(NotebookInstanceName=self._name)


class StudioUser:
    """What one Studio user runs: the apps of the profile, and those of its own spaces."""

    def __init__(self, key: str, domain: str, profile: str, sagemaker: Any) -> None:
        self.key = key
        self._domain, self._profile = domain, profile
        self._sagemaker = sagemaker

    def fetch_state(self) -> ReapableState:
        """Return the apps that cost something, and the last activity where each app tells it."""
        with refusing(f"reading the apps of Studio user {self._profile}"):
            apps = [self._describe(app) for app in self._list_apps()]
        seen = [app.get("LastUserActivityTimestamp") for app in apps]
        known = [moment for moment in seen if moment is not None]
        changing = any(app["Status"] == "Pending" for app in apps)
        running = ReapablePhase.CHANGING if changing else ReapablePhase.RUNNING
        started: Sequence[datetime] = [app["CreationTime"] for app in apps]
        return ReapableState(
            id=self.key,
            phase=running if apps else ReapablePhase.STOPPED,
            size=len(apps),
            since=max(started, default=None),
            # An app that tells nothing may be the one that is used.
            active_at=max(known) if known and len(known) == len(seen) else None,
        )

    def apply_stop(self) -> None:
        """End every app that costs something; what is saved in spaces stays."""
        with refusing(f"ending the apps of Studio user {self._profile}"):
            names = [self._names(app) for app in self._list_apps()]
        for name in names:
            self._delete(name)

    def _delete(self, name: Mapping[str, str]) -> None:
        try:
            with refusing(f"ending app {name['AppName']} of Studio user {self._profile}"):
                self._sagemaker.delete_app(**name)
        except CloudRefused as refusal:
            if refusal.kind is not RefusalKind.NOT_FOUND:
                raise

    def _list_apps(self) -> list[Mapping[str, Any]]:
        found = self._list_apps_of(UserProfileNameEquals=self._profile)
        for space in _pages(
            lambda page: self._sagemaker.list_spaces(**page), "Spaces", self._domain
        ):
            owner = (space.get("OwnershipSettingsSummary") or {}).get("OwnerUserProfileName")
            if owner == self._profile:
                found += self._list_apps_of(SpaceNameEquals=space["SpaceName"])
        return [
            app for app in found if app["AppType"] not in FREE_APPS and app["Status"] not in GOING
        ]

    def _list_apps_of(self, **whose: str) -> list[Mapping[str, Any]]:
        return [
            *_pages(lambda page: self._sagemaker.list_apps(**whose, **page), "Apps", self._domain)
        ]

    def _describe(self, app: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._sagemaker.describe_app(**self._names(app))
        return found

    def _names(self, app: Mapping[str, Any]) -> dict[str, str]:
        whose = "SpaceName" if app.get("SpaceName") else "UserProfileName"
        return {
            "DomainId": self._domain,
            "AppType": app["AppType"],
            "AppName": app["AppName"],
            whose: app.get(whose) or self._profile,
        }


def _pages(
    ask: Callable[[Mapping[str, str]], Mapping[str, Any]], member: str, domain: str
) -> Iterator[Mapping[str, Any]]:
    """Return what a list of a domain holds, page after page."""
    asked = {"DomainIdEquals": domain}
    for _ in range(MOST_PAGES):
        page = ask(asked)
        yield from page[member]
        if not page.get("NextToken"):
            return
        asked = {"DomainIdEquals": domain, "NextToken": page["NextToken"]}
