package tidegate.rules.storage.bucket_lifecycle_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.storage.bucket_lifecycle as rule

verdicts(resources, complete) := found if {
	found := rule.verdicts with input as object.union(fixtures.document(resources, {}), {"complete": complete})
}

bucket(apart, actions, open) := fixtures.with_facts(
	fixtures.resource("aws:s3/bucket:Bucket", {}),
	{"bucket": {"versioned": fixtures.absent_fact("v"), "apart": apart, "actions": actions, "open": open}},
)

bare := bucket(true, [], false)

action := {"action": "expire", "of": "current"}

failed := {fixtures.verdict(bare, "fail", {
	"message": "it (aws:s3/bucket:Bucket) has no lifecycle, so that it only grows",
	"expected": "a rule that moves or deletes what has aged",
	"found": "none",
})}

test_pass_with_a_lifecycle_of_its_own if verdicts([bucket(true, [action], false)], false) == {fixtures.verdict(bare, "pass", {})}

test_pass_with_a_lifecycle_that_stands_apart if {
	apart := fixtures.with_facts(
		object.union(fixtures.resource("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration", {}), {"dependencies": {"bucket": [bare.urn]}}),
		{"lifecycle": {"bucket": fixtures.hidden_fact("bucket"), "by": "bucket", "actions": [action], "open": false}},
	)
	verdicts([bare, apart], true) == {fixtures.verdict(bare, "pass", {})}
}

test_fail_without_one_once_the_whole_is_seen if {
	verdicts([bare], true) == failed
	verdicts([bare], false) == set()
}

test_fail_at_once_where_it_stands_nowhere_else if verdicts([bucket(false, [], false)], false) == failed

test_unknown_where_it_cannot_be_seen if {
	verdicts([bucket(true, [], true)], true) == {fixtures.verdict(bare, "unknown", {
		"message": "what becomes of the objects of it (aws:s3/bucket:Bucket) is not known yet",
		"expected": "a lifecycle",
		"found": "not known yet",
	})}
}
