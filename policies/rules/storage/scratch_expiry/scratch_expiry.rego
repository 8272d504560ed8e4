# METADATA
# title: Scratch data expires
# description: >-
#   What a job can make again is deleted when it has aged.
# custom:
#   id: TG-STO-002
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Delete current objects of the whole bucket after at most the allowed days.
#   docs: policies/rules/storage/scratch_expiry/README.md
#   parameters:
#     classes:
#       type: array
#       description: Values of the label data-class, or words of a bucket's name, that say scratch.
#       items: {type: string, minLength: 1}
#       default: [scratch, tmp, temp]
#     maxDays:
#       type: object
#       description: Environment (or default) → the most days that scratch data is kept.
#       required: [default]
#       additionalProperties: {type: integer, minimum: 1}
#       default: {default: 30}
package tidegate.rules.storage.scratch_expiry

import data.tidegate.lib.declared
import data.tidegate.lib.lifecycles
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-STO-002"]

verdicts contains verdict if {
	some resource in input.resources
	lifecycle := lifecycles.of(resource)
	lifecycles.class(resource, _parameters.classes) in _parameters.classes
	verdict := _judge(resource, lifecycle)
}

_judge(resource, lifecycle) := say.pass(resource, {}) if {
	some days in _expiries(lifecycle)
	days <= _limit(resource)
} else := say.unknown(resource, {
	"message": sprintf("when the scratch data of %s expires is not known yet", [say.subject(resource)]),
	"expected": sprintf("at most %d days", [_limit(resource)]),
	"found": "not known yet",
}) if {
	_may_expire(lifecycle)
} else := say.fail(resource, {
	"message": sprintf("%s keeps scratch data for longer than it is worth", [say.subject(resource)]),
	"expected": sprintf("at most %d days", [_limit(resource)]),
	"found": _found(lifecycle),
}) if {
	lifecycle.state == "known"
}

_expiries(lifecycle) := {action.days.value |
	some action in _whole(lifecycle)
	action.days.state == "known"
}

_may_expire(lifecycle) if lifecycle.state == "hidden"

_may_expire(lifecycle) if {
	some action in _whole(lifecycle)
	action.days.state == "hidden"
}

_whole(lifecycle) := [action |
	some action in lifecycle.actions
	action.action == "expire"
	action.of == "current"
	action.whole
]

_limit(resource) := declared.limit(_parameters.maxDays, resource)

_found(lifecycle) := sprintf("%v days", [min(_expiries(lifecycle))]) if {
	count(_expiries(lifecycle)) > 0
} else := "for ever"
