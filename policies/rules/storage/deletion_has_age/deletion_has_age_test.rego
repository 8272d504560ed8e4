package tidegate.rules.storage.deletion_has_age_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.storage.deletion_has_age as rule

verdicts(facts) := found if {
	resource := fixtures.with_facts(bucket, facts)
	found := rule.verdicts with input as fixtures.document([resource], {"TG-STO-004": {"minDays": 1}})
}

bucket := fixtures.resource("gcp:storage/bucket:Bucket", {})

deleting(days) := {"bucket": {"actions": [{"action": "expire", "property": "age", "days": days}]}}

failed(found) := {fixtures.verdict(bucket, "fail", {
	"property": "age",
	"message": "it (gcp:storage/bucket:Bucket) deletes objects whatever their age",
	"expected": "an age of at least 1 days",
	"found": found,
})}

test_pass_with_an_age if {
	passed := {fixtures.verdict(bucket, "pass", {"property": "age"})}
	verdicts(deleting(fixtures.fact(1, "age"))) == passed
	verdicts({"lifecycle": deleting(fixtures.fact(1, "age")).bucket}) == passed
}

test_fail_without_an_age if {
	verdicts(deleting(fixtures.absent_fact("age"))) == failed("no age")
	verdicts(deleting(fixtures.fact(0, "age"))) == failed("0 days")
}

test_unknown_where_it_cannot_be_seen if {
	verdicts(deleting(fixtures.hidden_fact("age"))) == {fixtures.verdict(bucket, "unknown", {
		"property": "age",
		"message": "at which age it (gcp:storage/bucket:Bucket) deletes is not known yet",
		"expected": "an age of at least 1 days",
		"found": "not known yet",
	})}
}

test_says_nothing_of_moves if verdicts({"bucket": {"actions": [{"action": "move"}]}}) == set()
