package tidegate.rules.kubernetes.namespace_quota_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.kubernetes.namespace_quota as rule

verdicts(resources) := found if {
	found := rule.verdicts with input as fixtures.whole(resources, {"TG-KUB-001": {"exempt": ["kube-*"]}})
}

namespace(metadata) := fixtures.resource("kubernetes:core/v1:Namespace", {"metadata": metadata})

vision := namespace({"name": "vision"})

quota(type, namespace) := fixtures.resource(type, {"metadata": {"namespace": namespace}})

passed := {fixtures.verdict(vision, "pass", {})}

test_pass_with_a_quota_or_a_queue if {
	every type in ["kubernetes:core/v1:ResourceQuota", "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue"] {
		verdicts([vision, quota(type, "vision")]) == passed
	}
	unnamed := object.union(quota("kubernetes:core/v1:ResourceQuota", fixtures.unknown), {"dependencies": {"metadata": [vision.urn]}})
	verdicts([namespace({}), unnamed]) == passed
}

test_fail_without_one if {
	every others in [[], [quota("kubernetes:core/v1:ResourceQuota", "speech")], [quota("kubernetes:core/v1:ConfigMap", "vision")]] {
		verdicts(array.concat([vision], others)) == {fixtures.verdict(vision, "fail", {
			"message": "it (kubernetes:core/v1:Namespace) may take all of its cluster",
			"expected": "a ResourceQuota or a LocalQueue",
			"found": "none",
		})}
	}
}

test_not_applicable_to_the_clusters_own if {
	system := namespace({"name": "kube-system"})
	verdicts([system]) == {fixtures.verdict(system, "not-applicable", {"message": "needs no quota"})}
}

test_says_nothing_before_the_whole_is_seen if {
	found := rule.verdicts with input as fixtures.document([vision], {"TG-KUB-001": {"exempt": []}})
	found == set()
}
