package tidegate.rules.storage.unfinished_uploads_end_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.storage.unfinished_uploads_end as rule

verdicts(resource) := found if {
	found := rule.verdicts with input as fixtures.whole([resource], {})
}

bucket(actions, open) := fixtures.with_facts(
	fixtures.resource("gcp:storage/bucket:Bucket", {}),
	{"bucket": {"versioned": fixtures.fact(true, "versioning.enabled"), "apart": false, "actions": actions, "open": open}},
)

bare := bucket([], false)

test_pass_with_a_rule if {
	verdicts(bucket([{"action": "abort", "of": "uploads"}], false)) == {fixtures.verdict(bare, "pass", {})}
}

test_fail_without_one if {
	verdicts(bucket([{"action": "expire", "of": "current"}], false)) == {fixtures.verdict(bare, "fail", {
		"message": "it (gcp:storage/bucket:Bucket) keeps the parts of unfinished uploads for ever",
		"expected": "a rule that deletes them",
		"found": "none",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	verdicts(bucket([], true)) == {fixtures.verdict(bare, "unknown", {
		"message": "what becomes of what it (gcp:storage/bucket:Bucket) no longer shows is not known yet",
		"expected": "a rule that deletes it",
		"found": "not known yet",
	})}
}

test_says_nothing_of_others if {
	verdicts(object.union(bare, {"cloud": "azure"})) == set()
	found := rule.verdicts with input as fixtures.document([bare], {})
	found == set()
}
