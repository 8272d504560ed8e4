"""Where Kubernetes objects carry cost labels, for those that Tidegate's components make.

Clouds and OpenCost split the bill of a cluster by the labels of namespaces and workloads; Karpenter
tags what it makes on EC2 with the tags of its node class. What only steers (queues, quotas,
priorities, scaling) is on no bill, whatever labels it has.

Sources: GKE cost allocation and EKS split cost allocation data, in their clouds' documentation;
karpenter.sh/docs/concepts/nodeclasses, `spec.tags`. Read 2026-11-30.
"""

from __future__ import annotations

LABELLED = {
    "kubernetes:apps/v1:Deployment": "metadata.labels",
    "kubernetes:core/v1:Namespace": "metadata.labels",
}
"""Type → where its labels stand."""

TAGS_NODES = {"kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": "spec.tags"}
"""Type → where the tags of the nodes that it makes stand."""

UNBILLED = (
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:LimitRange",
    "kubernetes:core/v1:ResourceQuota",
    "kubernetes:core/v1:Service",
    "kubernetes:karpenter.sh/v1:NodePool",
    "kubernetes:keda.sh/v1alpha1:ScaledObject",
    "kubernetes:kueue.x-k8s.io/v1beta2:AdmissionCheck",
    "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue",
    "kubernetes:kueue.x-k8s.io/v1beta2:Cohort",
    "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue",
    "kubernetes:kueue.x-k8s.io/v1beta2:ProvisioningRequestConfig",
    "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor",
    "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass",
    "kubernetes:scheduling.k8s.io/v1:PriorityClass",
)
"""Types that are on no bill."""
