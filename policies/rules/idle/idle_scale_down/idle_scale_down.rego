# METADATA
# title: Endpoints and compute shrink when idle
# description: >-
#   What has scaled up for work scales down soon after the work has gone.
# custom:
#   id: TG-IDL-002
#   severity: medium
#   level: advisory
#   scope: resource
#   remediation: >-
#     Shorten the time after which idle replicas or nodes are removed.
#   docs: policies/rules/idle/idle_scale_down/README.md
#   parameters:
#     maxSeconds:
#       type: object
#       description: Environment (or default) → the longest time that idle replicas or nodes are kept, in seconds.
#       required: [default]
#       additionalProperties: {type: integer, minimum: 0}
#       default: {default: 1800}
package tidegate.rules.idle.idle_scale_down

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-IDL-002"]

verdicts contains verdict if {
	some resource in input.resources
	resource.facts.idle.kind in {"endpoint", "compute"}
	verdict := _judge(resource, resource.facts.idle.after)
}

_judge(resource, after) := say.unknown(resource, {
	"property": after.property,
	"message": sprintf("after how long %s shrinks is not known yet", [say.subject(resource)]),
	"expected": sprintf("at most %d seconds", [_limit(resource)]),
	"found": "not known yet",
}) if {
	after.state == "hidden"
} else := say.fail(resource, {
	"property": after.property,
	"message": sprintf("%s does not shrink when it is idle", [say.subject(resource)]),
	"expected": sprintf("at most %d seconds", [_limit(resource)]),
	"found": "never",
}) if {
	after.state == "absent"
} else := say.fail(resource, {
	"property": after.property,
	"message": sprintf("%s keeps idle replicas or nodes for long", [say.subject(resource)]),
	"expected": sprintf("at most %d seconds", [_limit(resource)]),
	"found": sprintf("%v seconds", [after.value]),
}) if {
	after.value > _limit(resource)
} else := say.pass(resource, {"property": after.property})

_limit(resource) := declared.limit(_parameters.maxSeconds, resource)
