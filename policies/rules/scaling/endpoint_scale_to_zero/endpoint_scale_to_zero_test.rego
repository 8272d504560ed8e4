package tidegate.rules.scaling.endpoint_scale_to_zero_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.scaling.endpoint_scale_to_zero as rule

defaults := {"exceptions": []}

verdicts_with(resource, parameters, manifest) := found if {
	document := object.union(
		fixtures.whole([resource], {"TG-SCL-002": object.union(defaults, parameters)}),
		{"manifest": manifest},
	)
	found := rule.verdicts with input as document
}

verdicts(resource) := verdicts_with(resource, {}, null)

serving(type, minimum) := fixtures.with_facts(
	fixtures.resource(type, {}),
	{"machines": [{"kind": "endpoint", "at": "", "minimum": minimum}]},
)

variant(minimum) := serving("aws:sagemaker/endpointConfiguration:EndpointConfiguration", fixtures.fact(minimum, "min"))

failed(resource) := fixtures.verdict(resource, "fail", {
	"property": "min",
	"message": sprintf("it (%s) keeps replicas running when nobody calls them", [resource.type]),
	"expected": "0",
	"found": "1",
})

test_pass_on_a_minimum_of_zero if verdicts(variant(0)) == {fixtures.verdict(variant(0), "pass", {"property": "min"})}

test_fail_on_a_minimum_above_zero if verdicts(variant(1)) == {failed(variant(1))}

test_unknown_where_the_minimum_cannot_be_seen if {
	resource := serving("gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool", fixtures.hidden_fact("min"))
	verdicts(resource) == {fixtures.verdict(resource, "unknown", {
		"property": "min",
		"message": "the fewest replicas of it (gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool) are not known",
		"expected": "0",
		"found": "hidden",
	})}
}

allowed(resource, why) := {fixtures.verdict(resource, "pass", {"property": "min", "found": why})}

test_pass_with_a_service_level_that_has_an_owner if {
	resource := fixtures.labelled(variant(1), {"service-level": "chat-p99"})
	verdicts(resource) == allowed(resource, "serves chat-p99, owned by ml-platform")
	exception := {"resource": "i*", "serviceLevel": "gold", "owner": "serving"}
	verdicts_with(variant(1), {"exceptions": [exception]}, null) == allowed(variant(1), "serves gold, owned by serving")
	entry := {"id": "it", "serviceLevel": "silver", "commitment": "", "labels": {"owner": "chat"}}
	verdicts_with(variant(1), {}, {"endpoints": [entry]}) == allowed(variant(1), "serves silver, owned by chat")
}

test_pass_below_a_commitment if {
	resource := fixtures.labelled(variant(1), {"commitment": "h100-2026"})
	verdicts(resource) == allowed(resource, "consumes the commitment h100-2026")
	entry := {"id": "it", "serviceLevel": "", "commitment": "l4-2026", "labels": {"owner": "chat"}}
	verdicts_with(variant(1), {}, {"endpoints": [entry]}) == allowed(variant(1), "consumes the commitment l4-2026")
}

test_fail_for_a_scaling_target_and_for_inference_on_kubernetes if {
	target := object.union(
		serving("aws:appautoscaling/target:Target", fixtures.fact(1, "min")),
		{"properties": {"serviceNamespace": "sagemaker"}},
	)
	verdicts(target) == {failed(target)}
	scaled := fixtures.labelled(
		serving("kubernetes:keda.sh/v1alpha1:ScaledObject", fixtures.fact(1, "min")),
		{"workload-class": "inference"},
	)
	verdicts(scaled) == {failed(scaled)}
}

test_says_nothing_of_what_serves_no_model_nor_before_the_whole_is_seen if {
	verdicts(serving("gcp:cloudrunv2/service:Service", fixtures.fact(1, "min"))) == set()
	found := rule.verdicts with input as fixtures.document([variant(1)], {"TG-SCL-002": defaults})
	found == set()
}

test_unknown_where_a_service_level_may_stand_in_a_manifest_that_is_not_shown if {
	asked := fixtures.unshown([variant(0), variant(1)], {"TG-SCL-002": defaults})
	found := rule.verdicts with input as asked
	found == {
		fixtures.verdict(variant(0), "pass", {"property": "min"}),
		fixtures.verdict(variant(1), "unknown", {
			"property": "min",
			"message": sprintf("whether it (%s) may keep replicas running is for the stack's manifest to say", [variant(1).type]),
			"expected": "0, or a service level with an owner",
			"found": declared.not_shown,
		}),
	}
}
