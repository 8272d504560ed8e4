"""Rules over several fields of one object, which Kubernetes states as CEL or in a webhook.

They run once everything is known: in a preview, an object with an unknown part passes.
Sources: the files that `data/crds/*.toml` name; Kueue's webhooks (pkg/webhooks,
clusterqueue_webhook.go and cohort_webhook.go), as of 2026-11-30.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import CheckFailure, is_known
from tidegate.localclouds.kubernetes.quantities import parse_quantity

Failures = Iterator[CheckFailure]
COMPARED = ("Gt", "Lt", "Gte", "Lte")
RESTRICTED_TAGS = (
    "kubernetes.io/cluster",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
    "eks:eks-cluster-name",
)


def check_object(token: str, body: Body) -> Failures:
    """Yield what an object's fields contradict among themselves."""
    rule = RULES.get(token)
    if rule is not None and is_known(body):
        yield from rule(body)


def _check_deployment(body: Body) -> Failures:
    wanted = look(body, "spec.selector.matchLabels") or {}
    has = look(body, "spec.template.metadata.labels") or {}
    if any(has.get(key) != value for key, value in wanted.items()):
        place = "spec.template.metadata.labels"
        yield CheckFailure(place, "`selector` does not match template `labels`")
    if not wanted and not look(body, "spec.selector.matchExpressions"):
        reason = "empty selector is invalid for deployment"
        yield CheckFailure("spec.selector", reason)


def _check_flavor(body: Body) -> Failures:
    spec = body.get("spec") or {}
    if spec.get("topologyName") and not spec.get("nodeLabels"):
        yield CheckFailure("spec", "at least one nodeLabel is required when topology is set")
    for index, each in enumerate(spec.get("tolerations") or []):
        place = f"spec.tolerations[{index}]"
        exists = each.get("operator") == "Exists"
        if not each.get("key") and not exists:
            reason = "operator must be Exists when 'key' is empty"
            yield CheckFailure(f"{place}.operator", reason)
        if exists and each.get("value"):
            reason = "a value must be empty when 'operator' is 'Exists'"
            yield CheckFailure(f"{place}.value", reason)


def _check_cluster_queue(body: Body) -> Failures:
    spec = body.get("spec") or {}
    yield from _check_groups(spec, bool(spec.get("cohortName")), "when cohort is empty")
    fungibility = spec.get("flavorFungibility") or {}
    tries = [fungibility.get("whenCanBorrow"), fungibility.get("whenCanPreempt", "TryNextFlavor")]
    if "preference" in fungibility and tries != ["TryNextFlavor", "TryNextFlavor"]:
        reason = "preference needs whenCanBorrow and whenCanPreempt to be TryNextFlavor"
        yield CheckFailure("spec.flavorFungibility", reason)
    preemption = spec.get("preemption") or {}
    borrows = look(preemption, "borrowWithinCohort.policy") or "Never"
    if preemption.get("reclaimWithinCohort", "Never") == "Never" and borrows != "Never":
        reason = "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
        yield CheckFailure("spec.preemption", reason)


def _check_cohort(body: Body) -> Failures:
    spec = body.get("spec") or {}
    yield from _check_groups(spec, bool(spec.get("parentName")), "when parent is empty")


def _check_groups(spec: Body, may_borrow: bool, when: str) -> Failures:
    groups = spec.get("resourceGroups") or []
    covered = [name for group in groups for name in group["coveredResources"]]
    flavors = [flavor["name"] for group in groups for flavor in group["flavors"]]
    for words, names in (("resource", covered), ("flavor", flavors)):
        for name, count in Counter(names).items():
            if count > 1:
                reason = f"Duplicate value: {name!r}: each {words} can only be in one group, once"
                yield CheckFailure("spec.resourceGroups", reason)
    for number, group in enumerate(groups):
        for index, flavor in enumerate(group["flavors"]):
            place = f"spec.resourceGroups[{number}].flavors[{index}].resources"
            if [each["name"] for each in flavor["resources"]] != group["coveredResources"]:
                reason = "must list the coveredResources of its group, in the same order"
                yield CheckFailure(place, reason)
            for at, each in enumerate(flavor["resources"]):
                yield from _check_limits(each, f"{place}[{at}]", may_borrow, when)


def _check_limits(each: Body, place: str, may_borrow: bool, when: str) -> Failures:
    for limit in ("borrowingLimit", "lendingLimit"):
        if each.get(limit) is not None and not may_borrow:
            yield CheckFailure(f"{place}.{limit}", f"must be nil {when}")
    lending = each.get("lendingLimit")
    if lending is not None and parse_quantity(lending) > parse_quantity(each["nominalQuota"]):
        reason = "must be less than or equal to the nominalQuota"
        yield CheckFailure(f"{place}.lendingLimit", reason)


def _check_node_pool(body: Body) -> Failures:
    spec = body["spec"]
    for index, budget in enumerate(look(spec, "disruption.budgets") or []):
        if ("schedule" in budget) != ("duration" in budget):
            reason = "'schedule' must be set with 'duration'"
            yield CheckFailure(f"spec.disruption.budgets[{index}]", reason)
    if "replicas" in spec and "weight" in spec:
        yield CheckFailure("spec.weight", "'weight' is not supported on static NodePools")
    if "replicas" in spec and {*(spec.get("limits") or {})} - {"nodes"}:
        reason = "only 'limits.nodes' is supported on static NodePools"
        yield CheckFailure("spec.limits", reason)
    for index, each in enumerate(spec["template"]["spec"]["requirements"]):
        for reason in _break_requirement(each):
            yield CheckFailure(f"spec.template.spec.requirements[{index}]", reason)


def _break_requirement(each: Body) -> Iterator[str]:
    values = each.get("values") or []
    if each["operator"] == "In" and not values:
        yield "requirements with operator 'In' must have a value defined"
    if each["operator"] in COMPARED and not (len(values) == 1 and values[0].isdigit()):
        yield f"operator {each['operator']!r} must have a single positive integer value"
    if each["operator"] == "In" and len(values) < each.get("minValues", 0):
        yield "requirements with 'minValues' must have at least that many values in 'values'"
    if each["key"] in ("karpenter.sh/nodepool", "kubernetes.io/hostname"):
        yield f"label {each['key']!r} is restricted"


def _check_node_class(body: Body) -> Failures:
    spec = body["spec"]
    if bool(spec.get("role")) == bool(spec.get("instanceProfile")):
        reason = "must specify exactly one of ['role', 'instanceProfile']"
        yield CheckFailure("spec", reason)
    for key in spec.get("tags") or {}:
        if key.startswith(RESTRICTED_TAGS):
            yield CheckFailure("spec.tags", f"tag contains a restricted tag matching {key}")
    for section in ("subnetSelectorTerms", "securityGroupSelectorTerms", "amiSelectorTerms"):
        for index, term in enumerate(spec[section]):
            for reason in _break_term(term):
                yield CheckFailure(f"spec.{section}[{index}]", reason)
    yield from _check_images(spec)


def _break_term(term: Body) -> Iterator[str]:
    if not term:
        yield "expected at least one, got none of its fields"
    for alone in ("id", "alias"):
        if alone in term and len(term) > 1:
            yield f"'{alone}' is mutually exclusive, cannot be set with other fields"


def _check_images(spec: Body) -> Failures:
    terms = spec["amiSelectorTerms"]
    aliases = [term for term in terms if "alias" in term]
    if aliases and len(terms) > 1:
        reason = "'alias' is mutually exclusive, cannot be set with other amiSelectorTerms"
        yield CheckFailure("spec.amiSelectorTerms", reason)
    if not aliases and not spec.get("amiFamily"):
        reason = "must specify amiFamily if amiSelectorTerms does not contain an alias"
        yield CheckFailure("spec", reason)


def _check_scaled_object(body: Body) -> Failures:
    spec = body["spec"]
    least, most = spec.get("minReplicaCount", 0), spec.get("maxReplicaCount", 100)
    if least > most:
        reason = f"MinReplicaCount={least} must be less than MaxReplicaCount={most}"
        yield CheckFailure("spec.minReplicaCount", reason)
    idle = spec.get("idleReplicaCount")
    if idle is not None and idle >= least:
        reason = f"IdleReplicaCount={idle} must be less than MinReplicaCount={least}"
        yield CheckFailure("spec.idleReplicaCount", reason)
    names: list[Any] = [each["name"] for each in spec["triggers"] if each.get("name")]
    for name, count in Counter(names).items():
        if count > 1:
            reason = f"triggerName {name!r} is defined multiple times in the ScaledObject"
            yield CheckFailure("spec.triggers", reason)


RULES: Mapping[str, Callable[[Body], Failures]] = {
    "kubernetes:apps/v1:Deployment": _check_deployment,
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": _check_node_class,
    "kubernetes:karpenter.sh/v1:NodePool": _check_node_pool,
    "kubernetes:keda.sh/v1alpha1:ScaledObject": _check_scaled_object,
    "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue": _check_cluster_queue,
    "kubernetes:kueue.x-k8s.io/v1beta2:Cohort": _check_cohort,
    "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor": _check_flavor,
}
