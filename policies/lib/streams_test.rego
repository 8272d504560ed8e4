package tidegate.lib.streams_test

import data.tidegate.lib.fixtures
import data.tidegate.lib.streams

retention(type, properties) := retention_among(type, properties, [])

retention_among(type, properties, others) := found if {
	resource := fixtures.resource(type, properties)
	found := streams.retention(resource) with input as fixtures.document(array.concat([resource], others), {})
}

log_group := "aws:cloudwatch/logGroup:LogGroup"

log_bucket := "gcp:logging/projectBucketConfig:ProjectBucketConfig"

workspace := "azure-native:operationalinsights:Workspace"

table := "azure-native:operationalinsights:Table"

known(property, days, least, why) := {
	"state": "known",
	"property": property,
	"days": days,
	"least": least,
	"why": why,
}

without_days(state, property, why) := {
	"state": state,
	"property": property,
	"days": null,
	"least": null,
	"why": why,
}

test_cloudwatch_reads_nothing_and_zero_as_for_ever if {
	retention(log_group, {}) == without_days(
		"for ever",
		"retentionInDays",
		"no retention, which CloudWatch reads as for ever",
	)
	retention(log_group, {"retentionInDays": 0}) == without_days(
		"for ever",
		"retentionInDays",
		"0, which CloudWatch reads as for ever",
	)
}

test_cloudwatch_days if retention(log_group, {"retentionInDays": 30}) == known("retentionInDays", 30, 1, "")

test_cloudwatch_delivery_class_is_fixed if {
	retention(log_group, {"logGroupClass": "DELIVERY", "retentionInDays": 365}).state == "fixed"
}

test_google_reads_nothing_and_zero_as_its_default if {
	every properties in [{}, {"retentionDays": 0}] {
		retention(log_bucket, properties) == known(
			"retentionDays",
			30,
			1,
			"no retention, which the cloud reads as 30 days",
		)
	}
	retention(log_bucket, {"retentionDays": 7}) == known("retentionDays", 7, 1, "")
}

test_google_required_bucket_is_fixed if {
	retention(log_bucket, {"bucketId": "_Required", "retentionDays": 7}).state == "fixed"
}

test_azure_workspace_reads_nothing_as_its_default if {
	retention(workspace, {}).days == 30
	retention(workspace, {"retentionInDays": 90}) == known("retentionInDays", 90, 30, "")
}

test_azure_table_total_counts_before_its_interactive_days if {
	retention(table, {"retentionInDays": 30, "totalRetentionInDays": 90}) == known("totalRetentionInDays", 90, 4, "")
	retention(table, {"retentionInDays": 30, "totalRetentionInDays": -1}) == known("retentionInDays", 30, 4, "")
}

test_azure_table_without_days_has_its_workspaces if {
	by_property := fixtures.resource(workspace, {"workspaceName": "logs", "retentionInDays": 60})
	by_identifier := object.union(
		fixtures.resource(workspace, {"retentionInDays": 60}),
		{"identifiers": {"name": "logs"}},
	)
	every other in [by_property, by_identifier] {
		retention_among(table, {"workspaceName": "logs", "retentionInDays": -1}, [other]) == known(
			"totalRetentionInDays",
			60,
			30,
			"",
		)
	}
}

test_azure_table_of_a_workspace_that_is_not_here_is_hidden if {
	retention(table, {"workspaceName": "elsewhere"}) == without_days("hidden", "totalRetentionInDays", "")
}

test_hidden_days_are_hidden_on_every_cloud if {
	retention(log_group, {"retentionInDays": fixtures.unknown}).state == "hidden"
	retention(log_bucket, {"retentionDays": fixtures.unknown}).state == "hidden"
	retention(workspace, {"retentionInDays": fixtures.secret}).state == "hidden"
	retention(table, {"totalRetentionInDays": fixtures.unknown}).state == "hidden"
}

test_other_types_are_no_streams if not streams.retention(fixtures.resource("aws:s3/bucket:Bucket", {}))
