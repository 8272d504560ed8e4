# METADATA
# title: Labels of time series
# description: >-
#   A metric's labels take few values. One that names a run, a request or a user makes a
#   time series for each.
# custom:
#   id: TG-TEL-003
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Drop the label from the metric; put it into logs or traces, which are found by it.
#   docs: policies/rules/telemetry/high_cardinality_labels/README.md
#   parameters:
#     forbidden:
#       type: array
#       description: Names that take too many values, as regular expressions over the whole name, letter case, '-' and '_' ignored.
#       items: {type: string, minLength: 1}
#       default: ["(.*)(run|request|trace|span|session|user|customer|job|prompt|message|transaction|correlation)id", "(pod|container)(uid|id)", "uuid", "guid", "timestamp", "prompt", "email", "url", "querystring", "ip(address)?", "commit(sha)?"]
package tidegate.rules.telemetry.high_cardinality_labels

import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-TEL-003"]

verdicts contains verdict if {
	some resource in input.resources
	series := resource.facts.series
	verdict := _judge(resource, series)
}

_judge(resource, series) := say.fail(resource, {
	"property": series.property,
	"message": sprintf("%s makes a time series of each value of %s", [say.subject(resource), concat(", ", found)]),
	"expected": "labels that take few values",
	"found": concat(", ", found),
}) if {
	found := sort([name | some name in series.names; _is_forbidden(name)])
	found != []
} else := say.unknown(resource, {
	"property": series.property,
	"message": sprintf("the labels of %s are not known yet", [say.subject(resource)]),
	"expected": "labels that take few values",
	"found": "not known yet",
}) if {
	series.open
} else := say.pass(resource, {"property": series.property})

_is_forbidden(name) if {
	some pattern in _parameters.forbidden
	regex.match(sprintf(`^(?:%s)$`, [pattern]), _plain(name))
}

_plain(name) := lower(replace(replace(name, "_", ""), "-", ""))
