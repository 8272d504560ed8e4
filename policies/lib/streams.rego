# METADATA
# title: Telemetry streams
# description: >-
#   How long a stream keeps what it takes, as its cloud reads the properties: CloudWatch keeps for
#   ever where nothing is said, Google Cloud and Azure keep 30 days; an Azure table without a
#   retention of its own has its workspace's.
package tidegate.lib.streams

import data.tidegate.lib.others
import data.tidegate.lib.values

_default_days := 30

# The retention of a stream: {state, property, days, least, why}. `state` is "known", "hidden",
# "for ever" or "fixed" (not anyone's to choose); `least` is the shortest that the cloud can keep.
# Undefined for resources that are no streams.
retention(resource) := answer if {
	resource.type == "aws:cloudwatch/logGroup:LogGroup"
	answer := _cloudwatch(resource.properties)
}

retention(resource) := answer if {
	resource.type == "gcp:logging/projectBucketConfig:ProjectBucketConfig"
	answer := _google(resource.properties)
}

retention(resource) := answer if {
	resource.type == "azure-native:operationalinsights:Workspace"
	answer := _workspace(resource.properties)
}

retention(resource) := answer if {
	resource.type == "azure-native:operationalinsights:Table"
	answer := _table(resource.properties)
}

_cloudwatch(properties) := _fixed("retentionInDays", "the log class DELIVERY keeps two days, whatever is said") if {
	properties.logGroupClass == "DELIVERY"
} else := _for_ever("retentionInDays", sprintf("%v, which CloudWatch reads as for ever", [found.value])) if {
	found := values.read_number(properties, ["retentionInDays"])
	found.value == 0
} else := _for_ever("retentionInDays", "no retention, which CloudWatch reads as for ever") if {
	values.read(properties, ["retentionInDays"]).state == "absent"
} else := _read(properties, "retentionInDays", 1)

_google(properties) := _fixed("retentionDays", "the bucket _Required keeps 400 days, whatever is said") if {
	properties.bucketId == "_Required"
} else := _days("retentionDays", _default_days, 1, "no retention, which the cloud reads as 30 days") if {
	_is_left_out(properties, "retentionDays")
} else := _read(properties, "retentionDays", 1)

# A workspace keeps at least 30 days, except on the retired free tier.
_workspace(properties) := _days("retentionInDays", _default_days, 30, "no retention, which the cloud reads as 30 days") if {
	_is_left_out(properties, "retentionInDays")
} else := _read(properties, "retentionInDays", 30)

# What a table keeps is its total, archive included; -1 asks for the next wider setting.
_table(properties) := _read(properties, "totalRetentionInDays", 4) if {
	not _is_left_out(properties, "totalRetentionInDays")
} else := _read(properties, "retentionInDays", 4) if {
	not _is_left_out(properties, "retentionInDays")
} else := _inherited(properties)

_inherited(properties) := object.union(_workspace(workspace.properties), {"property": "totalRetentionInDays"}) if {
	some workspace in others.resources
	workspace.type == "azure-native:operationalinsights:Workspace"
	_is_named(workspace, properties.workspaceName)
} else := _hidden("totalRetentionInDays")

_is_named(workspace, name) if name == workspace.properties.workspaceName

_is_named(workspace, name) if name == workspace.identifiers.name

_is_left_out(properties, key) if values.read(properties, [key]).state == "absent"

_is_left_out(properties, key) if values.read_number(properties, [key]).value in [0, -1]

_read(properties, key, least) := _days(key, found.value, least, "") if {
	found := values.read_number(properties, [key])
	found.state == "known"
} else := _hidden(key)

_days(property, days, least, why) := {"state": "known", "property": property, "days": days, "least": least, "why": why}

_hidden(property) := {"state": "hidden", "property": property, "days": null, "least": null, "why": ""}

_for_ever(property, why) := {"state": "for ever", "property": property, "days": null, "least": null, "why": why}

_fixed(property, why) := {"state": "fixed", "property": property, "days": null, "least": null, "why": why}
