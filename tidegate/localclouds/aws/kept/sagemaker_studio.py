"""SageMaker notebooks: instances, their lifecycle configurations, domains, profiles, spaces."""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.calls import Asked, draw_id, now
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID, require_network, require_role
from tidegate.localclouds.aws.kept.sagemaker import build_list
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

FIRST_UID = 200_000
IN_SERVICE, STOPPED = "InService", "Stopped"
STARTABLE = frozenset({STOPPED, "Failed"})


def say_gone(noun: str, name: str) -> CloudError:
    """Return what Studio says of a name that nothing has."""
    return NotFoundError("ResourceNotFound", f"{noun} with name {name} does not exist")


def say_in_use(noun: str, name: str) -> CloudError:
    """Return what Studio says of a name that is taken."""
    return CloudError("ResourceInUse", f"{noun} with name {name} already exists")


LIFECYCLE = Kind(
    name="notebook instance lifecycle configuration",
    key=("NotebookInstanceLifecycleConfigName",),
    arn_member="NotebookInstanceLifecycleConfigArn",
    arn="notebook-instance-lifecycle-config/{NotebookInstanceLifecycleConfigName}",
)


def _check_notebook(asked: Asked, body: Body) -> None:
    require_role(asked, body.get("RoleArn"))
    subnet = body.get("SubnetId")
    require_network(asked, (subnet,) if subnet else (), body.get("SecurityGroups", ()))
    if body.get("NotebookInstanceLifecycleConfigName"):
        LIFECYCLE.find(asked, body)


def _start_notebook(asked: Asked, body: Body) -> Body:
    name = body["NotebookInstanceName"]
    started = {
        "NotebookInstanceStatus": IN_SERVICE,
        "Url": f"{name}.notebook.{asked.region}.sagemaker.aws",
    }
    interface = {"NetworkInterfaceId": f"eni-{draw_id(17)}"} if body.get("SubnetId") else {}
    return {**started, **interface}


NOTEBOOK = Kind(
    name="notebook instance",
    key=("NotebookInstanceName",),
    arn_member="NotebookInstanceArn",
    arn="notebook-instance/{NotebookInstanceName}",
    renamed={
        "SecurityGroupIds": "SecurityGroups",
        "LifecycleConfigName": "NotebookInstanceLifecycleConfigName",
    },
    defaults={"DirectInternetAccess": "Enabled", "RootAccess": "Enabled", "VolumeSizeInGB": 5},
    check=_check_notebook,
    complete=_start_notebook,
)


def _update_notebook(asked: Asked) -> Body:
    body = _require_stopped(asked)
    given = {k: v for k, v in asked.parameters.items() if not k.startswith("Disassociate")}
    if given.get("VolumeSizeInGB", body["VolumeSizeInGB"]) < body["VolumeSizeInGB"]:
        raise CloudError(INVALID, "The volume size of a notebook instance can only grow")
    if asked.parameters.get("DisassociateLifecycleConfig"):
        body.pop("NotebookInstanceLifecycleConfigName", None)
    return NOTEBOOK.update(asked, given)


def _require_stopped(asked: Asked) -> Body:
    body = NOTEBOOK.find(asked)
    status = body["NotebookInstanceStatus"]
    if status not in STARTABLE:
        words = f"Status ({status}) not in ([Stopped, Failed]). Unable to transition"
        raise CloudError(INVALID, f"{words} (NotebookInstance) {body['NotebookInstanceName']}")
    return body


def _delete_notebook(asked: Asked) -> Body:
    _require_stopped(asked)
    return NOTEBOOK.delete(asked)


def _start_again(asked: Asked) -> Body:
    return _set_status(_require_stopped(asked), IN_SERVICE)


def _stop_notebook(asked: Asked) -> Body:
    body = NOTEBOOK.find(asked)
    status = body["NotebookInstanceStatus"]
    if status != IN_SERVICE:
        words = f"Status ({status}) not in ([InService]). Unable to transition to (Stopping)"
        raise CloudError(INVALID, f"{words} for Notebook Instance ({body['NotebookInstanceArn']})")
    return _set_status(body, STOPPED)


def _set_status(body: Body, status: str) -> Body:
    body |= {"NotebookInstanceStatus": status, "LastModifiedTime": now()}
    return {}


def _delete_lifecycle(asked: Asked) -> Body:
    name = LIFECYCLE.find(asked)["NotebookInstanceLifecycleConfigName"]
    users = [
        body["NotebookInstanceName"]
        for body in NOTEBOOK.list(asked)
        if body.get("NotebookInstanceLifecycleConfigName") == name
    ]
    if users:
        words = f"Lifecycle configuration {name} is used by notebook instances: {', '.join(users)}"
        raise CloudError(INVALID, words)
    return LIFECYCLE.delete(asked)


def _check_domain(asked: Asked, body: Body) -> None:
    settings = body.get("DefaultUserSettings") or {}
    require_role(asked, settings.get("ExecutionRole"))
    groups = settings.get("SecurityGroups", ())
    require_network(asked, body.get("SubnetIds", ()), groups, body.get("VpcId"))


def _start_domain(asked: Asked, body: Body) -> Body:
    return {
        "Status": IN_SERVICE,
        "HomeEfsFileSystemId": f"fs-{draw_id(17)}",
        "Url": f"https://{body['DomainId']}.studio.{asked.region}.sagemaker.aws",
    }


DOMAIN = Kind(
    name="domain",
    key=("DomainId",),
    arn_member="DomainArn",
    arn="domain/{DomainId}",
    defaults={"AppNetworkAccessType": "PublicInternetOnly"},
    check=_check_domain,
    complete=_start_domain,
    missing=say_gone,
)


def _create_domain(asked: Asked) -> Body:
    return DOMAIN.create(asked, asked.parameters, {"DomainId": f"d-{draw_id(12)}"})


def _update_domain(asked: Asked) -> Body:
    given = dict(asked.parameters)
    settings = given.pop("DomainSettingsForUpdate", None)
    return DOMAIN.update(asked, given | ({"DomainSettings": settings} if settings else {}))


def _delete_domain(asked: Asked) -> Body:
    domain = DOMAIN.find(asked)["DomainId"]
    for kind in (SPACE, PROFILE):
        users = [b[kind.key[1]] for b in kind.list(asked) if b["DomainId"] == domain]
        if users:
            words = f"Unable to delete Domain {domain} because it has {kind.name}(s) associated"
            raise CloudError("ResourceInUse", f"{words}: {', '.join(users)}")
    return DOMAIN.delete(asked)


def _check_profile(asked: Asked, body: Body) -> None:
    DOMAIN.find(asked, body)
    require_role(asked, (body.get("UserSettings") or {}).get("ExecutionRole"))


def _start_profile(asked: Asked, body: Body) -> Body:  # noqa: ARG001 - as every completion
    return {"Status": IN_SERVICE, "HomeEfsFileSystemUid": str(FIRST_UID + int(draw_id(4), 16))}


PROFILE = Kind(
    name="user profile",
    key=("DomainId", "UserProfileName"),
    arn_member="UserProfileArn",
    arn="user-profile/{DomainId}/{UserProfileName}",
    check=_check_profile,
    complete=_start_profile,
    missing=say_gone,
    taken=say_in_use,
)


def _check_space(asked: Asked, body: Body) -> None:
    DOMAIN.find(asked, body)
    owner = (body.get("OwnershipSettings") or {}).get("OwnerUserProfileName")
    if owner:
        PROFILE.find(asked, {"DomainId": body["DomainId"], "UserProfileName": owner})
    if bool(owner) != bool(body.get("SpaceSharingSettings")):
        words = "OwnershipSettings and SpaceSharingSettings must be specified together"
        raise CloudError(INVALID, words)


def _start_space(asked: Asked, body: Body) -> Body:
    domain = DOMAIN.find(asked, body)
    uid = str(FIRST_UID + int(draw_id(4), 16))
    url = f"{domain['Url']}/jupyterlab/{body['SpaceName']}"
    return {"Status": IN_SERVICE, "HomeEfsFileSystemUid": uid, "Url": url}


SPACE = Kind(
    name="space",
    key=("DomainId", "SpaceName"),
    arn_member="SpaceArn",
    arn="space/{DomainId}/{SpaceName}",
    check=_check_space,
    complete=_start_space,
    missing=say_gone,
    taken=say_in_use,
)


def _list_of_domain(kind: Kind, member: str, part: str) -> Handler:
    def answer(asked: Asked) -> Body:
        domain, words = asked.parameters.get("DomainIdEquals"), asked.parameters.get(part, "")
        found = [b for b in kind.list(asked) if domain in (None, b["DomainId"])]
        return {member: [b for b in found if words in b[kind.key[1]]]}

    return answer


def _list_spaces(asked: Asked) -> Body:
    """Return the spaces of a domain with their owners, as lists name them."""
    found = _list_of_domain(SPACE, "Spaces", "SpaceNameContains")(asked) or {}
    spaces = [
        {**space, "OwnershipSettingsSummary": space.get("OwnershipSettings")}
        for space in found["Spaces"]
    ]
    return {"Spaces": spaces}


STUDIO: Mapping[str, Handler] = {
    "CreateNotebookInstance": NOTEBOOK.create_as_asked,
    "DescribeNotebookInstance": NOTEBOOK.find,
    "UpdateNotebookInstance": _update_notebook,
    "StartNotebookInstance": _start_again,
    "StopNotebookInstance": _stop_notebook,
    "DeleteNotebookInstance": _delete_notebook,
    "ListNotebookInstances": build_list(NOTEBOOK, "NotebookInstances"),
    "CreateNotebookInstanceLifecycleConfig": LIFECYCLE.create_as_asked,
    "DescribeNotebookInstanceLifecycleConfig": LIFECYCLE.find,
    "UpdateNotebookInstanceLifecycleConfig": LIFECYCLE.update,
    "DeleteNotebookInstanceLifecycleConfig": _delete_lifecycle,
    "CreateDomain": _create_domain,
    "DescribeDomain": DOMAIN.find,
    "UpdateDomain": _update_domain,
    "DeleteDomain": _delete_domain,
    "ListDomains": lambda asked: {"Domains": DOMAIN.list(asked)},
    "CreateUserProfile": PROFILE.create_as_asked,
    "DescribeUserProfile": PROFILE.find,
    "UpdateUserProfile": PROFILE.update,
    "DeleteUserProfile": PROFILE.delete,
    "ListUserProfiles": _list_of_domain(PROFILE, "UserProfiles", "UserProfileNameContains"),
    "CreateSpace": SPACE.create_as_asked,
    "DescribeSpace": SPACE.find,
    "UpdateSpace": SPACE.update,
    "DeleteSpace": SPACE.delete,
    "ListSpaces": _list_spaces,
}
