package tidegate.rules.telemetry.high_cardinality_labels_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.telemetry.high_cardinality_labels as rule

verdicts(names, open) := found if {
	resource := fixtures.with_facts(metric, {"series": {"names": names, "property": "labelExtractors", "open": open}})
	parameters := {"TG-TEL-003": {"forbidden": ["(.*)runid", "url"]}}
	found := rule.verdicts with input as fixtures.document([resource], parameters)
}

metric := fixtures.resource("gcp:logging/metric:Metric", {})

test_pass_on_labels_of_few_values if {
	verdicts(["status", "model", "curl"], false) == {fixtures.verdict(metric, "pass", {"property": "labelExtractors"})}
}

test_fail_on_labels_of_many_values if {
	verdicts(["status", "run_id", "TrainRunId", "url"], true) == {fixtures.verdict(metric, "fail", {
		"property": "labelExtractors",
		"message": "it (gcp:logging/metric:Metric) makes a time series of each value of TrainRunId, run_id, url",
		"expected": "labels that take few values",
		"found": "TrainRunId, run_id, url",
	})}
}

test_unknown_where_they_cannot_be_seen if {
	verdicts([], true) == {fixtures.verdict(metric, "unknown", {
		"property": "labelExtractors",
		"message": "the labels of it (gcp:logging/metric:Metric) are not known yet",
		"expected": "labels that take few values",
		"found": "not known yet",
	})}
}

test_says_nothing_of_other_resources if {
	found := rule.verdicts with input as fixtures.document([metric], {"TG-TEL-003": {"forbidden": []}})
	found == set()
}
