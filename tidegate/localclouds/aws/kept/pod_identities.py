"""EKS Pod Identity: which IAM role the pods of a service account have.

Source: EKS API reference, CreatePodIdentityAssociation; botocore service model; 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.access_entries import require_cluster
from tidegate.localclouds.aws.kept.calls import Asked, draw_id
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import require_role
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

OF_POD = ("clusterName", "namespace", "serviceAccount")


def _say_no_association(noun: str, name: str) -> CloudError:  # noqa: ARG001 - as every error
    words = f"Association {name.split('/', 1)[1]} does not exist"
    return NotFoundError("ResourceNotFoundException", words)


def _check(asked: Asked, body: Body) -> None:
    require_role(asked, body.get("roleArn"))
    same = [
        other["associationId"]
        for other in ASSOCIATION.list(asked)
        if all(other[name] == body[name] for name in OF_POD)
        and other["associationId"] != body["associationId"]
    ]
    if same:
        words = f"Association already exists: {same[0]}"
        raise CloudError("ResourceInUseException", words, 409)


ASSOCIATION = Kind(
    name="pod identity association",
    key=("clusterName", "associationId"),
    arn_member="associationArn",
    arn="podidentityassociation/{clusterName}/{associationId}",
    times=("createdAt", "modifiedAt"),
    defaults={"disableSessionTags": False},
    check=_check,
    missing=_say_no_association,
)


def _answer(asked: Asked, body: Body) -> Body:
    return {"association": {**body, "tags": ASSOCIATION.tags(asked, body)}}


def _create(asked: Asked) -> Body:
    require_cluster(asked)
    generated = {"associationId": f"a-{draw_id(17)}"}
    return _answer(asked, ASSOCIATION.create(asked, asked.parameters, generated))


def _describe(asked: Asked) -> Body:
    require_cluster(asked)
    return _answer(asked, ASSOCIATION.find(asked))


def _update(asked: Asked) -> Body:
    require_cluster(asked)
    return _answer(asked, ASSOCIATION.update(asked))


def _delete(asked: Asked) -> Body:
    require_cluster(asked)
    return _answer(asked, ASSOCIATION.delete(asked))


def _list(asked: Asked) -> Body:
    require_cluster(asked)
    wanted = {name: asked.parameters.get(name) for name in OF_POD}
    found = [
        body
        for body in ASSOCIATION.list(asked)
        if all(value in (None, body[name]) for name, value in wanted.items())
    ]
    return {"associations": found}


def forget_cluster(asked: Asked, cluster: str) -> None:
    """Drop the associations of a cluster that goes."""
    shelf = ASSOCIATION.shelf(asked)
    for key in [key for key in shelf if key[0] == cluster]:
        asked.shelves.tags.pop(shelf.pop(key)["associationArn"], None)


POD_IDENTITIES: Mapping[str, Handler] = {
    "CreatePodIdentityAssociation": _create,
    "DescribePodIdentityAssociation": _describe,
    "UpdatePodIdentityAssociation": _update,
    "DeletePodIdentityAssociation": _delete,
    "ListPodIdentityAssociations": _list,
}
