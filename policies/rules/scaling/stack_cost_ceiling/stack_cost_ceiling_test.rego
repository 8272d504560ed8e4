package tidegate.rules.scaling.stack_cost_ceiling_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.scaling.stack_cost_ceiling as rule

verdicts(resources, parameters, manifest) := found if {
	all_parameters := object.union({"hourlyCeilings": {}, "monthlyCeilings": {}}, parameters)
	document := object.union(fixtures.whole(resources, {"TG-SCL-005": all_parameters}), {"manifest": manifest})
	found := rule.verdicts with input as document
}

pool(name, facts) := fixtures.named(
	fixtures.with_facts(fixtures.resource("aws:eks/nodeGroup:NodeGroup", {}), {"machines": [object.union(
		{
			"kind": "pool",
			"at": "",
			"capacity": fixtures.fact("spot", "capacityType"),
			"maximum": fixtures.fact(4, "maxSize"),
			"types": fixtures.fact(["g6.xlarge"], "instanceTypes"),
			"price": {"amount": "2.5", "currency": "USD", "assumed": true},
		},
		facts,
	)]}),
	name,
)

two := [pool("a", {}), pool("b", {})]

stack := {"urn": ""}

said(outcome, message, expected, found) := {fixtures.verdict(stack, outcome, {"message": message, "expected": expected, "found": found})}

test_pass_at_the_ceiling if verdicts(two, {"hourlyCeilings": {"prod": 20}}, null) == {fixtures.verdict(stack, "pass", {})}

test_fail_above_the_ceiling if {
	verdicts(two, {"hourlyCeilings": {"prod": 19}}, null) == said(
		"fail",
		"the stack prod may cost more than it is allowed to",
		"at most 19 USD an hour",
		"20 USD an hour",
	)
}

test_fail_above_the_ceiling_that_the_stack_declares if {
	manifest := {"hourlyCeiling": {"amount": "15", "currency": "USD"}}
	{found.outcome | some found in verdicts(two, {}, manifest)} == {"fail"}
}

test_unknown_where_a_price_is_missing if {
	verdicts([pool("a", {}), pool("b", {"price": null})], {"hourlyCeilings": {"prod": 20}}, null) == said(
		"unknown",
		"what the stack prod may cost is not known",
		"at most 20 USD an hour",
		"10 USD an hour, and no price or maximum of b",
	)
}

test_what_is_reserved_or_steady_is_not_counted if {
	reserved := pool("r", {"capacity": fixtures.fact("reserved", "capacityType"), "price": null})
	steady := pool("s", {"maximum": fixtures.absent_fact("maxCount")})
	machines := [object.remove(steady.facts.machines[0], ["maximum"])]
	unsized := object.union(steady, {"facts": {"machines": machines}})
	resources := array.concat(two, [reserved, steady, unsized])
	verdicts(resources, {"hourlyCeilings": {"prod": 20}}, null) == {fixtures.verdict(stack, "pass", {})}
}

test_says_nothing_without_a_ceiling_nor_before_the_whole_is_seen if {
	verdicts(two, {}, null) == set()
	parameters := {"TG-SCL-005": {"hourlyCeilings": {"prod": 1}, "monthlyCeilings": {}}}
	found := rule.verdicts with input as fixtures.document(two, parameters)
	found == set()
}

test_unknown_where_a_ceiling_may_stand_in_a_manifest_that_is_not_shown if {
	parameters := {"TG-SCL-005": {"hourlyCeilings": {}, "monthlyCeilings": {}}}
	pooled := [fixtures.labelled(each, {"capacity-pool": each.name}) | some each in two]
	found := rule.verdicts with input as fixtures.unshown(pooled, parameters)
	found == said(
		"unknown",
		"what the stack prod may cost is for its manifest to say",
		"at most the hourly ceiling that the stack declares",
		declared.not_shown,
	)
	nothing := rule.verdicts with input as fixtures.unshown(two, parameters)
	nothing == set()
}
