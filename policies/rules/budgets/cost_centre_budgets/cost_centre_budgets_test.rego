package tidegate.rules.budgets.cost_centre_budgets_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.budgets.cost_centre_budgets as rule

verdicts_with(budgets, elsewhere) := found if {
	found := rule.verdicts with input as fixtures.whole(array.concat([bucket], budgets), {"TG-BGT-001": {"elsewhere": elsewhere}})
}

verdicts(budgets) := verdicts_with(budgets, [])

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

budget(labels, open) := fixtures.with_facts(
	object.union(fixtures.resource("aws:budgets/budget:Budget", {}), {"labelSites": []}),
	{"budget": {"labels": labels, "open": open, "notifies": "yes"}},
)

stack := {"urn": ""}

watched := {fixtures.verdict(stack, "pass", {"found": "cc-100"})}

test_pass_with_a_budget_of_the_cost_centre if {
	verdicts([budget([["CostCentre", ["cc-1", "cc-100"]]], false)]) == watched
}

test_pass_with_a_budget_of_everything_or_elsewhere if {
	verdicts([budget([], false)]) == watched
	verdicts_with([], ["cc-*"]) == watched
}

test_fail_without_one if {
	every budgets in [[], [budget([["cost-center", ["cc-1"]]], false)], [budget([["owner", ["cc-100"]]], false)]] {
		verdicts(budgets) == {fixtures.verdict(stack, "fail", {
			"message": "nobody is told what the cost centre cc-100 spends",
			"expected": "a budget that filters by it",
			"found": "none",
		})}
	}
}

test_unknown_where_a_filter_cannot_be_seen if {
	verdicts([budget([], true)]) == {fixtures.verdict(stack, "unknown", {
		"message": "whether a budget watches the cost centre cc-100 is not known yet",
		"expected": "a budget that filters by it",
		"found": "a budget whose filter cannot be seen",
	})}
}
