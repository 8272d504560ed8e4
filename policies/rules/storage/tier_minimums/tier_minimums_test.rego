package tidegate.rules.storage.tier_minimums_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.storage.tier_minimums as rule

verdicts(facts) := found if {
	resource := fixtures.with_facts(bucket, facts)
	found := rule.verdicts with input as fixtures.document([resource], {})
}

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

action(kind, days, class) := {
	"action": kind,
	"of": "current",
	"days": fixtures.fact(days, kind),
	"prefix": "",
	"class": class,
	"property": kind,
}

with_actions(actions) := {"bucket": {"actions": actions}}

test_pass_where_minimums_are_kept if {
	actions := [action("move", 30, "STANDARD_IA"), action("expire", 60, "")]
	verdicts(with_actions(actions)) == {fixtures.verdict(bucket, "pass", {})}
	verdicts({"lifecycle": {"actions": actions}}) == {fixtures.verdict(bucket, "pass", {})}
}

test_fail_where_an_object_leaves_too_soon if {
	verdicts(with_actions([action("move", 30, "STANDARD_IA"), action("expire", 59, "")])) == {fixtures.verdict(bucket, "fail", {
		"property": "expire",
		"message": "it (aws:s3/bucket:Bucket) moves objects out of STANDARD_IA while it is still billed",
		"expected": "at least 30 days after 30",
		"found": "59 days",
	})}
}

test_fail_where_the_move_is_too_early if {
	verdicts(with_actions([action("move", 29, "STANDARD_IA")])) == {fixtures.verdict(bucket, "fail", {
		"property": "move",
		"message": "it (aws:s3/bucket:Bucket) moves objects to STANDARD_IA before its cloud does",
		"expected": "at least 30 days",
		"found": "29 days",
	})}
}

test_pass_where_ages_are_not_known if {
	hidden := object.union(action("expire", 0, ""), {"days": fixtures.hidden_fact("expire")})
	verdicts(with_actions([action("move", 30, "STANDARD_IA"), hidden])) == {fixtures.verdict(bucket, "pass", {})}
}

test_says_nothing_where_nothing_moves if verdicts(with_actions([action("expire", 1, "")])) == set()
