"""SageMaker Studio's apps: what a user has running, on a profile or in a space.

Source: SageMaker API reference, CreateApp, DescribeApp and DeleteApp (read 2026-11-30). An app that
was deleted stays in lists, as deleted, for a while: here it goes at once.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.calls import Asked, now
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID
from tidegate.localclouds.aws.kept.sagemaker_studio import (
    IN_SERVICE,
    PROFILE,
    SPACE,
    say_gone,
    say_in_use,
)
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError

OF_SPACES = frozenset({"JupyterLab", "CodeEditor"})


def _check_app(asked: Asked, body: Body) -> None:
    if bool(body.get("SpaceName")) == bool(body.get("UserProfileName")):
        raise CloudError(INVALID, "Exactly one of UserProfileName and SpaceName must be specified")
    if body["AppType"] in OF_SPACES and not body.get("SpaceName"):
        raise CloudError(INVALID, f"AppType {body['AppType']} needs a SpaceName")
    (SPACE if body.get("SpaceName") else PROFILE).find(asked, body)


def _start_app(asked: Asked, body: Body) -> Body:  # noqa: ARG001 - as every completion
    moment = now()
    return {
        "Status": IN_SERVICE,
        "LastHealthCheckTimestamp": moment,
        "LastUserActivityTimestamp": moment,
    }


APP = Kind(
    name="app",
    key=("DomainId", "UserProfileName", "SpaceName", "AppType", "AppName"),
    arn_member="AppArn",
    arn="app/{DomainId}/{AppType}/{AppName}",
    times=("CreationTime",),
    check=_check_app,
    complete=_start_app,
    missing=say_gone,
    taken=say_in_use,
)


def _list_apps(asked: Asked) -> Body:
    wanted = {
        member: asked.parameters[f"{member}Equals"]
        for member in ("DomainId", "UserProfileName", "SpaceName")
        if f"{member}Equals" in asked.parameters
    }
    if "UserProfileName" in wanted and "SpaceName" in wanted:
        raise CloudError(INVALID, "UserProfileNameEquals excludes SpaceNameEquals")
    found = [
        body
        for body in APP.list(asked)
        if all(body.get(member) == value for member, value in wanted.items())
    ]
    return {"Apps": found}


APPS: Mapping[str, Handler] = {
    "CreateApp": APP.create_as_asked,
    "DescribeApp": APP.find,
    "DeleteApp": APP.delete,
    "ListApps": _list_apps,
}
