# METADATA
# title: Notebooks stop when idle
# description: >-
#   A notebook that nobody works in stops by itself. One that is forgotten on Friday costs
#   the weekend.
# custom:
#   id: TG-IDL-001
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set an idle shutdown within the limit of the environment.
#   docs: policies/rules/idle/notebook_idle_shutdown/README.md
#   parameters:
#     maxSeconds:
#       type: object
#       description: Environment (or default) → the longest idle time in seconds.
#       required: [default]
#       additionalProperties: {type: integer, minimum: 60}
#       default: {default: 14400}
#
#     exceptions:
#       type: array
#       description: Resources that may run on; `resource` is a name or URN, or a glob over the whole of it.
#       default: []
#       items:
#         type: object
#         additionalProperties: false
#         required: [resource, serviceLevel, owner]
#         properties:
#           resource: {type: string, minLength: 1}
#           serviceLevel: {type: string, minLength: 1}
#           owner: {type: string, minLength: 1}
package tidegate.rules.idle.notebook_idle_shutdown

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-IDL-001"]

verdicts contains verdict if {
	some resource in input.resources
	resource.facts.idle.kind == "notebook"
	verdict := _judge(resource, resource.facts.idle.after)
}

_judge(resource, after) := say.pass(resource, {"property": after.property}) if {
	after.state == "known"
	not after.value > _limit(resource)
} else := say.pass(resource, {"property": after.property, "found": reason}) if {
	reason := declared.service_level(resource, _parameters.exceptions)
} else := say.fail(resource, {
	"property": after.property,
	"message": sprintf("%s runs on when nobody works in it", [say.subject(resource)]),
	"expected": sprintf("an idle shutdown after at most %d seconds", [_limit(resource)]),
	"found": _found(after),
}) if {
	after.state != "hidden"
} else := say.unknown(resource, {
	"property": after.property,
	"message": sprintf("when %s stops by itself is not known yet", [say.subject(resource)]),
	"expected": sprintf("an idle shutdown after at most %d seconds", [_limit(resource)]),
	"found": "not known yet",
})

_found(after) := "none" if {
	after.state == "absent"
} else := sprintf("%v seconds", [after.value])

_limit(resource) := declared.limit(_parameters.maxSeconds, resource)
