package tidegate.rules.scaling.pool_cost_ceiling_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.scaling.pool_cost_ceiling as rule

verdicts(resource, parameters) := found if {
	all_parameters := object.union({"hourlyCeilings": {}, "monthlyCeilings": {}}, parameters)
	found := rule.verdicts with input as fixtures.document([resource], {"TG-SCL-004": all_parameters})
}

pool(most, price) := fixtures.with_facts(fixtures.resource("aws:eks/nodeGroup:NodeGroup", {}), {"machines": [{
	"kind": "pool",
	"at": "",
	"maximum": most,
	"types": fixtures.fact(["p5.48xlarge"], "instanceTypes"),
	"price": price,
}]})

priced(most) := pool(fixtures.fact(most, "maxSize"), {"amount": "12.5", "currency": "USD", "assumed": false})

test_pass_at_the_ceiling if {
	verdicts(priced(4), {"hourlyCeilings": {"prod": 50}}) == {fixtures.verdict(priced(4), "pass", {"property": "maxSize"})}
}

test_fail_above_the_ceiling if {
	verdicts(priced(5), {"hourlyCeilings": {"prod": 50}}) == {fixtures.verdict(priced(5), "fail", {
		"property": "maxSize",
		"message": "it (aws:eks/nodeGroup:NodeGroup) may cost more than its environment allows for one pool",
		"expected": "at most 50 USD an hour",
		"found": "62.5 USD an hour",
	})}
}

test_the_lower_of_both_ceilings_holds if {
	both := {"hourlyCeilings": {"default": 100}, "monthlyCeilings": {"default": 36500}}
	{found.outcome | some found in verdicts(priced(5), both)} == {"fail"}
	{found.outcome | some found in verdicts(priced(5), {"monthlyCeilings": {"default": 73000}})} == {"pass"}
}

test_unknown_without_price_or_maximum if {
	every resource in [pool(fixtures.fact(5, "maxSize"), null), pool(fixtures.hidden_fact("maxSize"), {"amount": "1", "currency": "USD"})] {
		verdicts(resource, {"hourlyCeilings": {"default": 50}}) == {fixtures.verdict(resource, "unknown", {
			"property": "maxSize",
			"message": "what it (aws:eks/nodeGroup:NodeGroup) costs at its largest is not known",
			"expected": "at most 50 USD an hour",
			"found": "no price or no maximum",
		})}
	}
}

test_unknown_says_why_the_catalog_knows_no_price if {
	attached := {"unpriced": "the accelerators attached to n1-standard-8 are not known yet"}
	bare := pool(fixtures.fact(5, "maxSize"), null)
	resource := object.union(bare, {"facts": {"machines": [object.union(bare.facts.machines[0], attached)]}})
	{found.found | some found in verdicts(resource, {"hourlyCeilings": {"default": 50}})} == {sprintf("no price: %s", [attached.unpriced])}
}

test_says_nothing_without_a_ceiling if verdicts(priced(5), {}) == set()
