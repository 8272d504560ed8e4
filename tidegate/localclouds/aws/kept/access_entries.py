"""EKS access entries: which IAM principal may do what in a cluster.

Source: EKS API reference, CreateAccessEntry; EKS user guide, access entries; botocore service
model; 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.aws.kept.calls import Asked, draw_uuid
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import require_principal
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

STANDARD = "STANDARD"
TYPES = (
    STANDARD,
    "EC2",
    "EC2_LINUX",
    "EC2_WINDOWS",
    "FARGATE_LINUX",
    "HYBRID_LINUX",
    "HYPERPOD_LINUX",
)
API_MODES = frozenset({"API", "API_AND_CONFIG_MAP"})
CONFIG_MAP = "CONFIG_MAP"  # what a cluster has that was made by the API without saying
BAD = "InvalidParameterException"


def _say_no_entry(noun: str, name: str) -> CloudError:  # noqa: ARG001 - as every error of a kind
    principal = name.split("/", 1)[1]
    words = f"The specified principalArn could not be found: {principal}"
    return NotFoundError("ResourceNotFoundException", words)


def _say_taken(noun: str, name: str) -> CloudError:  # noqa: ARG001 - as every error of a kind
    words = "The specified access entry resource is already in use on this cluster."
    return CloudError("ResourceInUseException", words, 409)


def find_cluster(asked: Asked, name: str) -> Any:
    """Return moto's cluster, None where there is none."""
    from moto.eks.models import eks_backends

    return eks_backends[asked.account][asked.region].clusters.get(name)


def require_cluster(asked: Asked) -> Any:
    """Return moto's cluster that a request names, or refuse the request as EKS does."""
    name = asked.parameters["clusterName"]
    cluster = find_cluster(asked, name)
    if cluster is None:
        raise NotFoundError("ResourceNotFoundException", f"No cluster found for name: {name}.")
    return cluster


def _require_api_mode(asked: Asked) -> None:
    cluster = require_cluster(asked)
    mode = (getattr(cluster, "access_config", None) or {}).get("authenticationMode", CONFIG_MAP)
    if mode not in API_MODES:
        words = (
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] "
            "to perform this operation."
        )
        raise CloudError("InvalidRequestException", words)


def _check(asked: Asked, body: Body) -> None:
    require_principal(asked, body["principalArn"])
    groups = find_cluster(asked, body["clusterName"]).nodegroups.values()
    if "createdAt" not in body and body["principalArn"] in {group.node_role for group in groups}:
        raise _say_taken("", "")  # EKS enters the roles of managed node groups by itself
    if body["type"] not in TYPES:
        raise CloudError(BAD, f"The type {body['type']} is not one of {', '.join(TYPES)}")
    if body["type"] != STANDARD and body.get("kubernetesGroups"):
        words = f"The kubernetesGroups cannot be set for an access entry of type {body['type']}"
        raise CloudError(BAD, words)


def _complete(asked: Asked, body: Body) -> Body:
    kind, _, name = body["principalArn"].split(":")[-1].partition("/")
    arn = asked.arn(
        f"access-entry/{body['clusterName']}/{kind}/{asked.account}/{name.split('/')[-1]}/{draw_uuid()}"
    )
    return {"accessEntryArn": arn, "username": body.get("username") or _default_user(asked, body)}


def _default_user(asked: Asked, body: Body) -> str:
    if body["type"] in ("EC2_LINUX", "EC2_WINDOWS", "EC2"):
        return "system:node:{{EC2PrivateDNSName}}"
    kind, _, name = body["principalArn"].split(":")[-1].partition("/")
    if kind == "role":
        return (
            f"arn:aws:sts::{asked.account}:assumed-role/{name.split('/')[-1]}/{{{{SessionName}}}}"
        )
    return str(body["principalArn"])


ENTRY = Kind(
    name="access entry",
    key=("clusterName", "principalArn"),
    arn_member="accessEntryArn",
    arn="",
    times=("createdAt", "modifiedAt"),
    defaults={"type": STANDARD, "kubernetesGroups": []},
    check=_check,
    complete=_complete,
    missing=_say_no_entry,
    taken=_say_taken,
)


def _answer(asked: Asked, body: Body) -> Body:
    return {"accessEntry": {**body, "tags": ENTRY.tags(asked, body)}}


def _create(asked: Asked) -> Body:
    _require_api_mode(asked)
    return _answer(asked, ENTRY.create(asked, asked.parameters, {}))


def _describe(asked: Asked) -> Body:
    _require_api_mode(asked)
    return _answer(asked, ENTRY.find(asked))


def _update(asked: Asked) -> Body:
    _require_api_mode(asked)
    return _answer(asked, ENTRY.update(asked))


def _delete(asked: Asked) -> Body:
    _require_api_mode(asked)
    ENTRY.delete(asked)
    return {}


def _list(asked: Asked) -> Body:
    _require_api_mode(asked)
    cluster = asked.parameters["clusterName"]
    found = [b["principalArn"] for b in ENTRY.list(asked) if b["clusterName"] == cluster]
    return {"accessEntries": found}


def forget_cluster(asked: Asked, cluster: str) -> None:
    """Drop the entries of a cluster that goes."""
    shelf = ENTRY.shelf(asked)
    for key in [key for key in shelf if key[0] == cluster]:
        asked.shelves.tags.pop(shelf.pop(key)["accessEntryArn"], None)


ACCESS_ENTRIES: Mapping[str, Handler] = {
    "CreateAccessEntry": _create,
    "DescribeAccessEntry": _describe,
    "UpdateAccessEntry": _update,
    "DeleteAccessEntry": _delete,
    "ListAccessEntries": _list,
}
