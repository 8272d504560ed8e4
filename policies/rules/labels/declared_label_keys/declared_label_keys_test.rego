package tidegate.rules.labels.declared_label_keys_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.labels.declared_label_keys as rule

verdicts(labels) := found if {
	resource := object.union(bucket, {"labelSites": [fixtures.site_of(labels)]})
	found := rule.verdicts with input as fixtures.document([resource], {"TG-LBL-003": {"allowedKeys": ["name", "*/*"]}})
}

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

test_pass_on_declared_keys_in_any_spelling if {
	labels := {"Owner": "a", "CostCentre": "1", "Name": "x", "kubernetes.io/cluster/a": "owned"}
	verdicts(labels) == {fixtures.verdict(bucket, "pass", {"property": "tags"})}
}

test_fail_on_parameters_of_a_run if {
	verdicts({"owner": "a", "run-id": "7f3", "learning-rate": "3e-4"}) == {fixtures.verdict(bucket, "fail", {
		"property": "tags",
		"message": "it (aws:s3/bucket:Bucket) carries labels that nobody declared: learning-rate, run-id",
		"expected": "the declared keys of cost labels",
		"found": "learning-rate, run-id",
	})}
}

test_says_nothing_of_labels_that_stand_elsewhere if {
	group := object.union(bucket, {"labelSites": [object.union(fixtures.site, {"elsewhere": "unresolved"})]})
	found := rule.verdicts with input as fixtures.document([group], {"TG-LBL-003": {"allowedKeys": []}})
	found == set()
}
