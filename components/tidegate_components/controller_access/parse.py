"""From the arguments of the controller's access to a specification, every fault at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.controller_access import args as shapes
from tidegate_components.controller_access.conditions import MAX_CLUSTERS
from tidegate_components.controller_access.policy import MAX_POLICY, build_policy, measure_policy
from tidegate_components.controller_access.spec import (
    AccessSpec,
    AwsAccess,
    AzureAccess,
    GcpAccess,
    KubernetesIdentity,
)
from tidegate_components.names import check_identifier

WAYS = ("pod_identity", "irsa", "principal_arns")
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL_RULE = "1 to 63 lowercase letters, digits and '-', not at either end"
_TAG_KEY = r"[0-9a-z][-0-9a-z.:]*/[A-Za-z0-9][-_.A-Za-z0-9]*"


def parse_access(name: str, raw: Mapping[str, Any]) -> AccessSpec:
    """Return the access that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"access {name}", raw, shapes.ControllerAccessArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    own = {
        Cloud.AWS: read.nested("aws", shapes.ControllerAccessAwsArgs),
        Cloud.GCP: read.nested("gcp", shapes.ControllerAccessGcpArgs),
        Cloud.AZURE: read.nested("azure", shapes.ControllerAccessAzureArgs),
    }
    for each in Cloud:
        if each is not cloud and read.has(each.value):
            reason = f"concerns {each.value}, and the access is to {cloud.value}"
            read.refuse(each.value, None, reason, "leave it out")
    given = own[cloud]
    if given is None:
        read.refuse(cloud.value, None, "is required and is missing", "an object")
    spec = AccessSpec(
        id=name,
        cloud=cloud,
        account=_account(read, cloud),
        labels=read.cost_labels(),
        aws=_read_aws(given) if given and cloud is Cloud.AWS else AwsAccess(),
        gcp=_read_gcp(given) if given and cloud is Cloud.GCP else GcpAccess(),
        azure=_read_azure(given) if given and cloud is Cloud.AZURE else AzureAccess(),
    )
    read.finish()
    if cloud is Cloud.AWS:
        _check_size(read, spec)
    read.finish()
    return spec


def _account(read: Arguments, cloud: Cloud) -> str:
    account = read.text("account", "")
    if account and cloud is Cloud.AWS and not re.fullmatch(r"\d{12}", account):
        read.refuse("account", account, "is no id of an AWS account", "twelve digits")
    return account


def _read_aws(read: Arguments) -> AwsAccess:
    pools, regions = read.texts("pools"), read.texts("regions")
    for key, found in (("pools", pools), ("regions", regions)):
        if not found:
            read.refuse(key, None, "is required and is missing", "at least one")
    for index, pool in enumerate(pools):
        if not re.fullmatch(_LABEL, pool):
            read.refuse(f"pools[{index}]", pool, "is no pool's id", _LABEL_RULE)
    for index, region in enumerate(regions):
        if not re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", region):
            read.refuse(f"regions[{index}]", region, "is no region of AWS", "such as us-east-1")
    ways = [way for way in WAYS if read.has(way)]
    if len(ways) != 1:
        given = " and ".join(ways) or None
        reason = (
            "are more than one way to get the role" if ways else "is missing: who gets the role"
        )
        read.refuse("pod_identity", given, reason, f"one of {', '.join(WAYS)}")
    pod = read.nested("pod_identity", shapes.PodIdentityArgs)
    irsa = read.nested("irsa", shapes.IrsaArgs)
    for nested, keys in ((pod, ("cluster",)), (irsa, ("provider_arn", "issuer"))):
        _require(nested, keys)
    return AwsAccess(
        pools=pools,
        regions=regions,
        way=ways[0] if ways else "",
        identity=_identity(pod or irsa),
        cluster_region=pod.text("region", "") if pod else "",
    )


def _read_gcp(read: Arguments) -> GcpAccess:
    clusters = read.texts("clusters")
    if len(clusters) > MAX_CLUSTERS:
        reason = "are more than one IAM condition can name: it takes 12 logical operators"
        read.refuse("clusters", len(clusters), reason, f"at most {MAX_CLUSTERS}")
    for index, cluster in enumerate(clusters):
        if not re.fullmatch(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?", cluster):
            expected = "a cluster's name, without its project and place"
            read.refuse(f"clusters[{index}]", cluster, "is no name of a GKE cluster", expected)
    tag = read.nested("group_tag", shapes.GroupTagArgs)
    federation = read.nested("federation", shapes.GcpFederationArgs)
    _require(federation, ("identity_pool",))
    return GcpAccess(
        clusters=clusters,
        group_tag=_group_tag(tag) if tag else None,
        identity=_identity(read.nested("workload_identity", shapes.WorkloadIdentityArgs)),
        federated=_identity(federation),
    )


def _read_azure(read: Arguments) -> AzureAccess:
    federation = read.nested("federation", shapes.FederationArgs)
    _require(federation, ("identity_name", "resource_group_name", "issuer"))
    return AzureAccess(_identity(federation))


def _group_tag(read: Arguments) -> tuple[str, str]:
    key, value = read.text("key"), read.text("value")
    if key and not re.fullmatch(_TAG_KEY, key):
        expected = "the parent's id and the short name, 123456789012/capacity-pools"
        read.refuse("key", key, "is no key of a Resource Manager tag in a condition", expected)
    if value and not re.fullmatch(r"[A-Za-z0-9][-_.A-Za-z0-9]*", value):
        read.refuse("value", value, "is no short value of a tag", "letters, digits, '-', '_', '.'")
    return key, value


def _identity(read: Arguments | None) -> KubernetesIdentity | None:
    if read is None:
        return None
    namespace, account = read.text("namespace"), read.text("service_account")
    for key, value in (("namespace", namespace), ("service_account", account)):
        # A wildcard here would let the whole cluster in.
        if value and not re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", value):
            read.refuse(key, value, "is no name in Kubernetes", _LABEL_RULE)
    return KubernetesIdentity(namespace, account)


def _require(read: Arguments | None, keys: tuple[str, ...]) -> None:
    for key in keys:
        if read is not None and not read.has(key):
            read.refuse(key, None, "is required and is missing", "a value or an Output")


def _check_size(read: Arguments, spec: AccessSpec) -> None:
    """Refuse more pools than one IAM policy can name."""
    size = measure_policy(build_policy(spec))
    if size > MAX_POLICY:
        reason = f"make a policy of {size} characters, and IAM takes {MAX_POLICY}"
        read.refuse("aws.pools", len(spec.aws.pools), reason, "fewer pools, or two accesses")
