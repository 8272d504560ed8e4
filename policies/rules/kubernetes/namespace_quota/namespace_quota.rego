# METADATA
# title: Namespaces have quotas
# description: >-
#   A namespace takes no more of a cluster than its team was given.
# custom:
#   id: TG-KUB-001
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Declare a ResourceQuota in the namespace, or a LocalQueue whose cluster queue has
#     quotas.
#   docs: policies/rules/kubernetes/namespace_quota/README.md
#   parameters:
#     exempt:
#       type: array
#       description: Namespaces that need none, as globs over the whole name.
#       items: {type: string, minLength: 1}
#       default: [kube-*, default, karpenter, keda, kueue-system, monitoring, tidegate]
package tidegate.rules.kubernetes.namespace_quota

import data.tidegate.lib.others
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-KUB-001"]

_limiting := `^kubernetes:(core/v1:ResourceQuota|kueue\.x-k8s\.io/[a-z0-9]+:LocalQueue)$`

# Judged when the whole stack is at hand, which has the quota.
verdicts contains verdict if {
	input.complete
	some resource in input.resources
	resource.type == "kubernetes:core/v1:Namespace"
	verdict := _judge(resource)
}

_judge(resource) := say.not_applicable(resource, {"message": "needs no quota"}) if {
	some pattern in _parameters.exempt
	glob.match(pattern, null, _name(resource))
} else := say.pass(resource, {}) if {
	some other in _quotas
	_is_in(other, resource)
} else := say.fail(resource, {
	"message": sprintf("%s may take all of its cluster", [say.subject(resource)]),
	"expected": "a ResourceQuota or a LocalQueue",
	"found": "none",
})

_quotas contains other if {
	some other in others.resources
	startswith(other.type, "kubernetes:")
	regex.match(_limiting, other.type)
}

_is_in(other, namespace) if other.properties.metadata.namespace == _name(namespace)

_is_in(other, namespace) if namespace.urn in other.dependencies.metadata

_name(namespace) := name if {
	name := namespace.properties.metadata.name
	is_string(name)
} else := namespace.name
