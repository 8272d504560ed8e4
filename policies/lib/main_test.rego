package tidegate.main_test

import data.tidegate.lib.fixtures
import data.tidegate.main

test_answers_name_every_rule_even_when_it_says_nothing if {
	answers := main.answers with input as fixtures.document([], {})
	every path in ["labels/mandatory_cost_labels", "scaling/scale_to_zero", "telemetry/log_retention"] {
		answers[path] == set()
	}
	every _, verdicts in answers {
		verdicts == set()
	}
}

test_answers_leave_out_a_package_without_verdicts if {
	rules := {"labels": {"misspelt": {"verdict": {1}}, "whole": {"verdicts": {2}}}}
	answers := main.answers with data.tidegate.rules as rules
	answers == {"labels/whole": {2}}
}

test_a_question_for_some_rules_leaves_the_others_silent if {
	rules := {"labels": {"one": {"verdicts": {1}}, "two": {"verdicts": {2}}}}
	answers := main.answers with data.tidegate.rules as rules
		with input as {"asked": ["labels/one", "labels/none"], "unasked": ["labels/two"]}
	answers == {"labels/one": {1}, "labels/two": []}
}
