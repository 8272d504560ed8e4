package tidegate.lib.lifecycles_test

import data.tidegate.lib.fixtures
import data.tidegate.lib.lifecycles

bucket := fixtures.with_facts(
	object.union(
		fixtures.resource("aws:s3/bucket:Bucket", {"bucket": "given"}),
		{"identifiers": {"id": "made-1"}},
	),
	{"bucket": {"versioned": fixtures.absent_fact("versioning.enabled"), "actions": [{"action": "own"}], "open": false}},
)

apart(name, fact, others) := fixtures.with_facts(
	object.union(fixtures.resource("aws:s3/x:X", {}), object.union({"urn": "urn:apart"}, others)),
	{name: fact},
)

rules(reference, others) := apart("lifecycle", {"bucket": reference, "by": "bucket", "actions": [{"action": "apart"}], "open": false}, others)

actions(others, complete) := found if {
	document := object.union(fixtures.document(array.concat([bucket], others), {}), {"complete": complete})
	found := lifecycles.of(bucket) with input as document
}

both := {"state": "known", "actions": [{"action": "own"}, {"action": "apart"}]}

test_rules_that_stand_apart_are_found_by_reference_id_and_name if {
	actions([rules(fixtures.hidden_fact("bucket"), {"dependencies": {"bucket": [bucket.urn]}})], true) == both
	actions([rules(fixtures.fact("made-1", "bucket"), {})], true) == both
	actions([rules(fixtures.fact("given", "bucket"), {})], true) == both
	actions([rules(fixtures.fact("other", "bucket"), {})], true).actions == [{"action": "own"}]
}

test_before_the_whole_is_seen_more_may_come if actions([], false).state == "later"

versioned(enabled, others) := found if {
	switch := apart("versioning", {"bucket": fixtures.fact("given", "bucket"), "by": "bucket", "enabled": enabled}, others)
	found := lifecycles.versioned(bucket) with input as fixtures.whole([bucket, switch], {})
}

test_versioning_that_stands_apart_counts if {
	versioned(fixtures.fact(true, "status"), {}) == "yes"
	versioned(fixtures.fact(false, "status"), {}) == "no"
	versioned(fixtures.hidden_fact("status"), {}) == "unknown"
}
