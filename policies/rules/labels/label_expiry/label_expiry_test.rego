package tidegate.rules.labels.label_expiry_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.labels.label_expiry as rule

verdicts(day) := found if {
	resource := fixtures.labelled(bucket, {"expires-on": day})
	found := rule.verdicts with input as fixtures.document([resource], {"TG-LBL-005": {"key": "expires-on"}})
}

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

test_pass_until_the_day if {
	every day in ["2026-11-30", "2027-01-31"] {
		verdicts(day) == {fixtures.verdict(bucket, "pass", {"property": "expires-on"})}
	}
}

test_fail_after_the_day if {
	verdicts("2026-11-29") == {fixtures.verdict(bucket, "fail", {
		"property": "expires-on",
		"message": "it (aws:s3/bucket:Bucket) has expired",
		"expected": "a day not before 2026-11-30",
		"found": "2026-11-29",
	})}
}

test_fail_on_what_is_no_day if {
	every text in ["soon", "2026-13-01", "x2027-01-31"] {
		verdicts(text) == {fixtures.verdict(bucket, "fail", {
			"property": "expires-on",
			"message": "it (aws:s3/bucket:Bucket) has an expiry that is no day",
			"expected": "a day such as 2027-01-31",
			"found": text,
		})}
	}
}

test_pass_where_nobody_tells_the_date if {
	resource := fixtures.labelled(bucket, {"expires-on": "2020-01-01"})
	document := object.union(fixtures.document([resource], {"TG-LBL-005": {"key": "expires-on"}}), {"date": ""})
	found := rule.verdicts with input as document
	found == {fixtures.verdict(bucket, "pass", {"property": "expires-on"})}
}
