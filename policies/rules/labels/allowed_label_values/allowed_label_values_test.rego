package tidegate.rules.labels.allowed_label_values_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.labels.allowed_label_values as rule

parameters := {"values": {"environment": ["dev", "prod"], "cost-center": ["cc-[0-9]{3}"]}}

verdicts(labels) := found if {
	resource := fixtures.labelled(fixtures.resource("aws:s3/bucket:Bucket", {}), labels)
	found := rule.verdicts with input as fixtures.document([resource], {"TG-LBL-002": parameters})
}

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

passed(key) := fixtures.verdict(bucket, "pass", {"property": sprintf("tags.%s", [key])})

test_pass_on_listed_values if verdicts({}) == {passed("environment"), passed("cost-center")}

test_fail_on_a_value_that_only_contains_an_allowed_one if {
	verdicts({"environment": "api-development"}) == {passed("cost-center"), fixtures.verdict(bucket, "fail", {
		"property": "tags.environment",
		"message": "it (aws:s3/bucket:Bucket) has a value of environment that is not allowed",
		"expected": "one of dev, prod",
		"found": "api-development",
	})}
}

test_unknown_on_a_value_that_cannot_be_seen if {
	verdicts({"environment": fixtures.unknown}) == {passed("cost-center"), fixtures.verdict(bucket, "unknown", {
		"property": "tags.environment",
		"message": "the value of environment on it (aws:s3/bucket:Bucket) cannot be seen",
		"expected": "one of dev, prod",
		"found": "not known yet",
	})}
}
