package tidegate.rules.spot.spot_for_tolerant_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.spot.spot_for_tolerant as rule

verdicts(resource) := verdicts_with(resource, null)

verdicts_with(resource, manifest) := found if {
	document := object.union(
		fixtures.whole([resource], {"TG-SPT-001": {"tolerantClasses": ["training"]}}),
		{"manifest": manifest},
	)
	found := rule.verdicts with input as document
}

test_pass_for_the_on_demand_base_of_a_spot_pool if {
	resource := fixtures.labelled(on_demand, {"capacity-pool": "sweep"})
	manifest := {"pools": [{"id": "sweep", "onDemandBaseNodes": 1, "interruptionTolerance": "tolerant"}]}
	verdicts_with(resource, manifest) == {fixtures.verdict(resource, "pass", {"property": "capacityType"})}
}

bought(how) := fixtures.with_facts(
	fixtures.resource("aws:eks/nodeGroup:NodeGroup", {}),
	{"machines": [{"kind": "pool", "at": "", "capacity": how}]},
)

on_demand := bought(fixtures.fact("on-demand", "capacityType"))

test_pass_on_spot_and_what_is_reserved if {
	every how in ["spot", "mixed", "reserved"] {
		resource := bought(fixtures.fact(how, "capacityType"))
		verdicts(resource) == {fixtures.verdict(resource, "pass", {"property": "capacityType"})}
	}
}

test_fail_on_demand if {
	verdicts(on_demand) == {fixtures.verdict(on_demand, "fail", {
		"property": "capacityType",
		"message": "it (aws:eks/nodeGroup:NodeGroup) buys on demand what training work could have as spot",
		"expected": "spot",
		"found": "on-demand",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	resource := bought(fixtures.hidden_fact("capacityType"))
	verdicts(resource) == {fixtures.verdict(resource, "unknown", {
		"property": "capacityType",
		"message": "how it (aws:eks/nodeGroup:NodeGroup) is bought is not known",
		"expected": "spot",
		"found": "not known yet",
	})}
}

test_says_nothing_of_intolerant_work_nor_where_nothing_is_bought if {
	verdicts(fixtures.labelled(on_demand, {"workload-class": "inference"})) == set()
	verdicts(fixtures.labelled(on_demand, {"interruption-tolerance": "intolerant"})) == set()
	verdicts(bought(fixtures.absent_fact("launchTemplate"))) == set()
}

unshown(resource) := found if {
	found := rule.verdicts with input as fixtures.unshown([resource], {"TG-SPT-001": {"tolerantClasses": ["training"]}})
}

test_unknown_where_its_manifest_is_not_shown if {
	every class in ["training", "inference"] {
		resource := fixtures.labelled(on_demand, {"capacity-pool": "sweep", "workload-class": class})
		unshown(resource) == {fixtures.verdict(resource, "unknown", {
			"property": "capacityType",
			"message": "whether it (aws:eks/nodeGroup:NodeGroup) could have spot capacity is for the stack's manifest to say",
			"expected": "spot",
			"found": declared.not_shown,
		})}
	}
}

test_what_no_manifest_can_say_is_judged_without_it if {
	{found.outcome | some found in unshown(on_demand)} == {"fail"}
	unshown(fixtures.labelled(on_demand, {"capacity-pool": "sweep", "interruption-tolerance": "intolerant"})) == set()
}
