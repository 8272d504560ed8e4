# METADATA
# title: Deletion has an age
# description: >-
#   A rule that deletes says how old an object has to be. Without an age it deletes what was
#   written a minute ago.
# custom:
#   id: TG-STO-004
#   severity: critical
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Give the deletion an age of at least one day.
#   docs: policies/rules/storage/deletion_has_age/README.md
#   parameters:
#     minDays:
#       type: integer
#       description: The youngest age at which anything may be deleted.
#       minimum: 1
#       default: 1
package tidegate.rules.storage.deletion_has_age

import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-STO-004"]

verdicts contains verdict if {
	some resource in input.resources
	some name in ["bucket", "lifecycle"]
	some action in resource.facts[name].actions
	action.action == "expire"
	verdict := _judge(resource, action)
}

_judge(resource, action) := say.pass(resource, {"property": action.property}) if {
	action.days.state == "known"
	action.days.value >= _parameters.minDays
} else := say.unknown(resource, {
	"property": action.property,
	"message": sprintf("at which age %s deletes is not known yet", [say.subject(resource)]),
	"expected": _expected,
	"found": "not known yet",
}) if {
	action.days.state == "hidden"
} else := say.fail(resource, {
	"property": action.property,
	"message": sprintf("%s deletes objects whatever their age", [say.subject(resource)]),
	"expected": _expected,
	"found": _found(action.days),
})

_expected := sprintf("an age of at least %d days", [_parameters.minDays])

_found(days) := sprintf("%v days", [days.value]) if {
	days.state == "known"
} else := "no age"
