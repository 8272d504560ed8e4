package tidegate.rules.scaling.maximum_size_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.scaling.maximum_size as rule

parameters := {"maxNodes": {"default": 4, "prod": 20}}

verdicts(resource) := found if {
	found := rule.verdicts with input as fixtures.document([resource], {"TG-SCL-003": parameters})
}

pool(type, maximum) := fixtures.with_facts(
	fixtures.resource(type, {}),
	{"machines": [{"kind": "pool", "at": "", "maximum": maximum}]},
)

sized(most) := pool("aws:eks/nodeGroup:NodeGroup", fixtures.fact(most, "maxSize"))

test_pass_within_the_limit if verdicts(sized(20)) == {fixtures.verdict(sized(20), "pass", {"property": "maxSize"})}

test_fail_above_the_limit_of_the_environment if {
	verdicts(sized(21)) == {fixtures.verdict(sized(21), "fail", {
		"property": "maxSize",
		"message": "it (aws:eks/nodeGroup:NodeGroup) may grow larger than its environment allows",
		"expected": "at most 20 in prod",
		"found": "21",
	})}
}

test_fail_above_the_default_elsewhere if {
	resource := fixtures.labelled(sized(5), {"environment": "staging"})
	{found.expected | some found in verdicts(resource)} == {"at most 4 in staging"}
}

test_fail_where_nothing_ends_the_growth if {
	every type in ["kubernetes:karpenter.sh/v1:NodePool", "kubernetes:autoscaling/v2:HorizontalPodAutoscaler", "gcp:cloudrunv2/service:Service"] {
		resource := pool(type, fixtures.absent_fact("limits"))
		verdicts(resource) == {fixtures.verdict(resource, "fail", {
			"property": "limits",
			"message": sprintf("it (%s) may grow without end", [type]),
			"expected": "at most 20 in prod",
			"found": "no maximum",
		})}
	}
}

test_not_applicable_where_nothing_grows if {
	resource := pool("azure-native:containerservice:AgentPool", fixtures.absent_fact("maxCount"))
	verdicts(resource) == {fixtures.verdict(resource, "not-applicable", {
		"property": "maxCount",
		"message": "nothing in its cloud makes it grow",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	resource := pool("aws:autoscaling/group:Group", fixtures.hidden_fact("maxSize"))
	verdicts(resource) == {fixtures.verdict(resource, "unknown", {
		"property": "maxSize",
		"message": "the most nodes of it (aws:autoscaling/group:Group) are not known",
		"expected": "at most 20 in prod",
		"found": "not known yet",
	})}
}
