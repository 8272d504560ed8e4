package tidegate.rules.placement.allowed_regions_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.placement.allowed_regions as rule

verdicts(region, regions) := found if {
	resource := fixtures.with_facts(bucket, {"region": region})
	found := rule.verdicts with input as fixtures.document([resource], {"TG-PLC-001": {"regions": regions}})
}

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

allowed := {"aws": ["eu-*", "us-east-1"]}

test_pass_in_an_allowed_region if {
	every name in ["eu-central-1", "us-east-1", "global"] {
		verdicts(fixtures.fact(name, "region"), allowed) == {fixtures.verdict(bucket, "pass", {"property": "region"})}
	}
}

test_fail_elsewhere if {
	verdicts(fixtures.fact("us-east-11", "region"), allowed) == {fixtures.verdict(bucket, "fail", {
		"property": "region",
		"message": "it (aws:s3/bucket:Bucket) stands in a region that is not allowed",
		"expected": "eu-*, us-east-1",
		"found": "us-east-11",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	verdicts(fixtures.hidden_fact("region"), allowed) == {fixtures.verdict(bucket, "unknown", {
		"property": "region",
		"message": "in which region it (aws:s3/bucket:Bucket) stands is not known yet",
		"expected": "eu-*, us-east-1",
		"found": "not known yet",
	})}
}

test_says_nothing_where_all_regions_are_allowed if verdicts(fixtures.fact("x", "region"), {"gcp": ["us-*"]}) == set()
