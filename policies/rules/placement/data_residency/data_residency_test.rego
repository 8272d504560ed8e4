package tidegate.rules.placement.data_residency_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.placement.data_residency as rule

verdicts(facts, class) := found if {
	resource := fixtures.labelled(fixtures.with_facts(bucket, facts), {"data-class": class})
	parameters := {"TG-PLC-002": {"residency": {"personal": ["eu-*", "europe-*"]}, "classKey": "data-class"}}
	found := rule.verdicts with input as fixtures.document([resource], parameters)
}

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

test_pass_where_it_may_lie if {
	verdicts({"region": fixtures.fact("eu-central-1", "region")}, "personal") == {fixtures.verdict(bucket, "pass", {"property": "region"})}
}

test_fail_where_it_may_not_lie if {
	verdicts({"region": fixtures.fact("us-east-1", "region")}, "personal") == {fixtures.verdict(bucket, "fail", {
		"property": "region",
		"message": "it (aws:s3/bucket:Bucket) holds personal data where it may not lie",
		"expected": "eu-*, europe-*",
		"found": "us-east-1",
	})}
}

test_unknown_where_nobody_can_tell if {
	every facts in [{}, {"region": fixtures.hidden_fact("region")}] {
		verdicts(facts, "personal") == {fixtures.verdict(bucket, "unknown", {
			"message": "where it (aws:s3/bucket:Bucket) holds personal data is not known yet",
			"expected": "eu-*, europe-*",
			"found": "not known yet",
		})}
	}
}

test_says_nothing_of_classes_that_may_lie_anywhere if verdicts({}, "public") == set()
