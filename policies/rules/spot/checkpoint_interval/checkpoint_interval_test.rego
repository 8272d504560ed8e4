package tidegate.rules.spot.checkpoint_interval_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.spot.checkpoint_interval as rule

parameters := {"classes": ["training"], "maxSeconds": {"default": 3600}}

verdicts_with(resource, manifest) := found if {
	document := object.union(fixtures.whole([resource], {"TG-SPT-003": parameters}), {"manifest": manifest})
	found := rule.verdicts with input as document
}

verdicts(labels) := verdicts_with(fixtures.labelled(spot, labels), null)

spot := fixtures.labelled(
	fixtures.with_facts(
		fixtures.resource("aws:autoscaling/group:Group", {}),
		{"machines": [{"kind": "group", "at": "", "capacity": fixtures.fact("mixed", "mix")}]},
	),
	{"capacity-pool": "sweep"},
)

passed := {fixtures.verdict(spot, "pass", {"property": "mix"})}

test_pass_with_an_interval if verdicts({"checkpoint-interval-seconds": "900"}) == passed

test_pass_with_an_interval_of_the_manifest if {
	verdicts_with(spot, {"pools": [{"id": "sweep", "checkpoint": {"intervalSeconds": 600}}]}) == passed
}

test_fail_without_an_interval if {
	every labels in [{}, {"checkpoint-interval-seconds": "often"}] {
		verdicts(labels) == {fixtures.verdict(spot, "fail", {
			"property": "mix",
			"message": "it (aws:autoscaling/group:Group) trains on spot capacity and does not say how often it saves its work",
			"expected": "at most every 3600 seconds",
			"found": "no interval",
		})}
	}
}

test_fail_with_an_interval_that_is_too_long if {
	verdicts({"checkpoint-interval-seconds": "7200"}) == {fixtures.verdict(spot, "fail", {
		"property": "mix",
		"message": "it (aws:autoscaling/group:Group) saves its work too seldom for spot capacity",
		"expected": "at most every 3600 seconds",
		"found": "every 7200 seconds",
	})}
}

test_says_nothing_of_other_work_nor_before_the_whole_is_seen if {
	verdicts({"workload-class": "pipeline"}) == set()
	found := rule.verdicts with input as fixtures.document([spot], {"TG-SPT-003": parameters})
	found == set()
}

unshown(resource) := found if {
	found := rule.verdicts with input as fixtures.unshown([resource], {"TG-SPT-003": parameters})
}

test_unknown_where_the_interval_may_stand_in_a_manifest_that_is_not_shown if {
	unshown(spot) == {fixtures.verdict(spot, "unknown", {
		"property": "mix",
		"message": "how often it (aws:autoscaling/group:Group) saves its work is for the stack's manifest to say",
		"expected": "at most every 3600 seconds",
		"found": declared.not_shown,
	})}
}

test_what_no_manifest_can_say_is_judged_without_it if {
	unshown(fixtures.labelled(spot, {"capacity-pool": "sweep", "checkpoint-interval-seconds": "900"})) == passed
	{found.outcome | some found in unshown(fixtures.labelled(spot, {}))} == {"fail"}
}
