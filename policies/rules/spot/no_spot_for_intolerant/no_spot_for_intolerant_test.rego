package tidegate.rules.spot.no_spot_for_intolerant_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.spot.no_spot_for_intolerant as rule

parameters := {"TG-SPT-002": {"intolerantClasses": ["inference"]}}

verdicts_with(resource, manifest) := found if {
	document := object.union(
		fixtures.whole([resource], parameters),
		{"manifest": manifest},
	)
	found := rule.verdicts with input as document
}

verdicts(resource) := verdicts_with(resource, null)

bought(how) := fixtures.labelled(
	fixtures.with_facts(
		fixtures.resource("gcp:container/nodePool:NodePool", {}),
		{"machines": [{"kind": "pool", "at": "", "capacity": how}]},
	),
	{"workload-class": "inference", "capacity-pool": "serve"},
)

spot := bought(fixtures.fact("spot", "nodeConfig.spot"))

test_pass_on_demand if {
	resource := bought(fixtures.fact("on-demand", "nodeConfig.spot"))
	verdicts(resource) == {fixtures.verdict(resource, "pass", {"property": "nodeConfig.spot"})}
}

test_fail_on_spot if {
	verdicts(spot) == {fixtures.verdict(spot, "fail", {
		"property": "nodeConfig.spot",
		"message": "it (gcp:container/nodePool:NodePool) runs on spot capacity what must not be interrupted",
		"expected": "on-demand or reserved",
		"found": "spot",
	})}
}

test_fail_on_what_says_that_it_is_intolerant if {
	resource := fixtures.labelled(spot, {"workload-class": "training", "interruption-tolerance": "intolerant"})
	{found.outcome | some found in verdicts(resource)} == {"fail"}
}

test_unknown_where_it_cannot_be_seen if {
	resource := bought(fixtures.hidden_fact("nodeConfig.spot"))
	verdicts(resource) == {fixtures.verdict(resource, "unknown", {
		"property": "nodeConfig.spot",
		"message": "how it (gcp:container/nodePool:NodePool) is bought is not known",
		"expected": "on-demand or reserved",
		"found": "not known yet",
	})}
}

test_says_nothing_of_tolerant_work if {
	verdicts(fixtures.labelled(spot, {"workload-class": "training"})) == set()
	verdicts(fixtures.labelled(spot, {"workload-class": "inference", "interruption-tolerance": "tolerant"})) == set()
	verdicts_with(spot, {"pools": [{"id": "serve", "interruptionTolerance": "tolerant"}]}) == set()
}

unshown(resource) := found if {
	found := rule.verdicts with input as fixtures.unshown([resource], parameters)
}

test_unknown_where_its_manifest_is_not_shown if {
	every class in ["training", "inference"] {
		resource := fixtures.labelled(spot, {"capacity-pool": "serve", "workload-class": class})
		unshown(resource) == {fixtures.verdict(resource, "unknown", {
			"property": "nodeConfig.spot",
			"message": "whether it (gcp:container/nodePool:NodePool) may be interrupted is for the stack's manifest to say",
			"expected": "on-demand or reserved",
			"found": declared.not_shown,
		})}
	}
}

test_what_no_manifest_can_say_is_judged_without_it if {
	every labels in [{}, {"capacity-pool": "serve", "interruption-tolerance": "intolerant"}] {
		resource := fixtures.labelled(spot, object.union({"workload-class": "inference"}, labels))
		{found.outcome | some found in unshown(resource)} == {"fail"}
	}
}

test_a_pool_that_a_manifest_may_tell_of_waits_for_the_whole_stack if {
	waits := rule.verdicts with input as fixtures.document([spot], parameters)
	waits == set()
	plain := fixtures.labelled(spot, {"workload-class": "inference"})
	found := rule.verdicts with input as fixtures.document([plain], parameters)
	{each.outcome | some each in found} == {"fail"}
}
