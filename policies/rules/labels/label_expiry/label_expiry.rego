# METADATA
# title: Nothing outlives its expiry
# description: >-
#   What says when it ends is gone by then. The label expires-on is a day; after it, the
#   resource is somebody's forgotten experiment.
# custom:
#   id: TG-LBL-005
#   severity: low
#   level: advisory
#   scope: resource
#   remediation: >-
#     Delete the resource, or move its expiry to a later day.
#   docs: policies/rules/labels/label_expiry/README.md
#   parameters:
#     key:
#       type: string
#       description: The label that names the last day.
#       minLength: 1
#       default: expires-on
package tidegate.rules.labels.label_expiry

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-LBL-005"]

verdicts contains verdict if {
	some resource in input.resources
	day := declared.label(resource, _parameters.key)
	verdict := _judge(resource, day)
}

_judge(resource, day) := say.fail(resource, {
	"property": _parameters.key,
	"message": sprintf("%s has an expiry that is no day", [say.subject(resource)]),
	"expected": "a day such as 2027-01-31",
	"found": day,
}) if {
	not _is_day(day)
} else := say.fail(resource, {
	"property": _parameters.key,
	"message": sprintf("%s has expired", [say.subject(resource)]),
	"expected": sprintf("a day not before %s", [input.date]),
	"found": day,
}) if {
	day < input.date
} else := say.pass(resource, {"property": _parameters.key})

_is_day(text) if {
	regex.match(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`, text)
}
