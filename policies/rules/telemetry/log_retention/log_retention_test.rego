package tidegate.rules.telemetry.log_retention_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.telemetry.log_retention as rule

parameters := {
	"floors": {"run-logs": {"default": 14}, "debug-logs": {"default": 1, "prod": 2}},
	"ceilings": {"run-logs": {"default": 30, "prod": 90}, "debug-logs": {"default": 7}},
	"classKey": "telemetry-class",
	"defaultClass": "run-logs",
}

verdicts(resource) := found if {
	found := rule.verdicts with input as fixtures.document([resource], {"TG-TEL-001": parameters})
}

log_group(properties) := fixtures.resource("aws:cloudwatch/logGroup:LogGroup", properties)

labelled(resource, labels) := object.union(
	resource,
	{"labelSites": [fixtures.site_of(object.union(fixtures.cost_labels, labels))]},
)

passed(resource, property) := {
	"urn": resource.urn,
	"outcome": "pass",
	"property": property,
	"message": "",
	"expected": "",
	"found": "",
}

failed(resource, message, expected, found) := {
	"urn": resource.urn,
	"outcome": "fail",
	"property": "retentionInDays",
	"message": sprintf("it (aws:cloudwatch/logGroup:LogGroup) %s", [message]),
	"expected": expected,
	"found": found,
}

test_pass_at_floor_and_ceiling if {
	every days in [14, 30, 90] {
		resource := log_group({"retentionInDays": days})
		verdicts(resource) == {passed(resource, "retentionInDays")}
	}
}

test_fail_for_ever if {
	resource := log_group({"retentionInDays": 0})
	verdicts(resource) == {failed(
		resource,
		"keeps run-logs for ever",
		"14 to 90 days for run-logs in prod",
		"0, which CloudWatch reads as for ever",
	)}
}

test_fail_below_the_floor if {
	resource := log_group({"retentionInDays": 7})
	verdicts(resource) == {failed(
		resource,
		"drops run-logs after 7 days, before a failed job is looked into",
		"14 to 90 days for run-logs in prod",
		"7 days",
	)}
}

test_fail_above_the_ceiling if {
	resource := log_group({"retentionInDays": 120})
	verdicts(resource) == {failed(
		resource,
		"keeps run-logs for 120 days, longer than they are worth",
		"14 to 90 days for run-logs in prod",
		"120 days",
	)}
}

test_environment_of_the_label_comes_before_the_stacks if {
	resource := labelled(log_group({"retentionInDays": 60}), {"environment": "Dev"})
	verdicts(resource) == {failed(
		resource,
		"keeps run-logs for 60 days, longer than they are worth",
		"14 to 30 days for run-logs in dev",
		"60 days",
	)}
}

test_environment_of_the_stack_where_no_label_can_be if {
	bucket := fixtures.resource("gcp:logging/projectBucketConfig:ProjectBucketConfig", {"retentionDays": 90})
	resource := object.union(bucket, {"labelSites": []})
	verdicts(resource) == {passed(resource, "retentionDays")}
}

test_without_any_environment_the_default_holds if {
	resource := object.union(log_group({"retentionInDays": 60}), {"labelSites": []})
	document := object.union(
		fixtures.document([resource], {"TG-TEL-001": parameters}),
		{"stack": {"project": "p", "name": "", "environment": ""}},
	)
	found := rule.verdicts with input as document
	found == {failed(
		resource,
		"keeps run-logs for 60 days, longer than they are worth",
		"14 to 30 days for run-logs in any environment",
		"60 days",
	)}
}

test_class_of_the_label_comes_first if {
	resource := labelled(log_group({"retentionInDays": 7, "name": "/run-logs/x"}), {"Telemetry-Class": "debug-logs"})
	verdicts(resource) == {passed(resource, "retentionInDays")}
}

test_class_is_told_by_a_whole_word_of_the_name if {
	every name in ["/ml/debug-logs/train", "debug_logs", "DebugLogs"] {
		resource := log_group({"retentionInDays": 7, "name": name})
		verdicts(resource) == {passed(resource, "retentionInDays")}
	}
	every name in ["nodebug-logs", "debug-logsink"] {
		resource := log_group({"retentionInDays": 7, "name": name})
		verdicts(resource) != {passed(resource, "retentionInDays")}
	}
}

test_a_class_that_no_parameter_limits_is_a_doubt if {
	resource := labelled(log_group({"retentionInDays": 30}), {"telemetry-class": "runlogs"})
	verdicts(resource) == {{
		"urn": resource.urn,
		"outcome": "unknown",
		"property": "retentionInDays",
		"message": concat(" ", [
			"it (aws:cloudwatch/logGroup:LogGroup) holds runlogs,",
			"for which the parameters set no floor or no ceiling",
		]),
		"expected": "a class that has both",
		"found": "runlogs",
	}}
}

test_unknown_days_are_a_doubt if {
	resource := log_group({"retentionInDays": fixtures.unknown})
	verdicts(resource) == {{
		"urn": resource.urn,
		"outcome": "unknown",
		"property": "retentionInDays",
		"message": "how long it (aws:cloudwatch/logGroup:LogGroup) keeps its logs is not known yet",
		"expected": "14 to 90 days for run-logs in prod",
		"found": "not known yet",
	}}
}

test_fixed_retention_is_not_judged if {
	resource := log_group({"logGroupClass": "DELIVERY"})
	verdicts(resource) == {{
		"urn": resource.urn,
		"outcome": "not-applicable",
		"property": "",
		"message": "the log class DELIVERY keeps two days, whatever is said",
		"expected": "",
		"found": "",
	}}
}

test_the_ceiling_is_never_below_what_the_cloud_keeps_at_least if {
	workspace := fixtures.resource("azure-native:operationalinsights:Workspace", {"retentionInDays": 30})
	resource := labelled(workspace, {"telemetry-class": "debug-logs"})
	verdicts(resource) == {passed(resource, "retentionInDays")}
}

test_a_default_of_the_cloud_is_shown_as_found if {
	resource := labelled(
		fixtures.resource("gcp:logging/projectBucketConfig:ProjectBucketConfig", {}),
		{"telemetry-class": "debug-logs"},
	)
	verdicts(resource) == {{
		"urn": resource.urn,
		"outcome": "fail",
		"property": "retentionDays",
		"message": concat(" ", [
			"it (gcp:logging/projectBucketConfig:ProjectBucketConfig) keeps debug-logs for 30 days,",
			"longer than they are worth",
		]),
		"expected": "2 to 7 days for debug-logs in prod",
		"found": "no retention, which the cloud reads as 30 days",
	}}
}

test_says_nothing_of_other_resources if verdicts(fixtures.resource("aws:s3/bucket:Bucket", {})) == set()
