package tidegate.rules.budgets.budget_notifies_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.budgets.budget_notifies as rule

verdicts(notifies) := found if {
	resource := fixtures.with_facts(budget, {"budget": {"notifies": notifies}})
	found := rule.verdicts with input as fixtures.document([resource], {})
}

budget := fixtures.resource("aws:budgets/budget:Budget", {})

test_pass_where_somebody_is_told if verdicts("yes") == {fixtures.verdict(budget, "pass", {})}

test_fail_where_nobody_is_told if {
	verdicts("no") == {fixtures.verdict(budget, "fail", {
		"message": "it (aws:budgets/budget:Budget) tells nobody",
		"expected": "a notification",
		"found": "none",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	verdicts("unknown") == {fixtures.verdict(budget, "unknown", {
		"message": "whom it (aws:budgets/budget:Budget) tells is not known yet",
		"expected": "a notification",
		"found": "not known yet",
	})}
}

test_says_nothing_of_other_resources if {
	found := rule.verdicts with input as fixtures.document([budget], {})
	found == set()
}
