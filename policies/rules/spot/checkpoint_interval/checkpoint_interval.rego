# METADATA
# title: Checkpoints of spot training
# description: >-
#   Training on spot capacity says how often it saves its work, and often enough that an
#   interruption costs little.
# custom:
#   id: TG-SPT-003
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Declare the interval by the label checkpoint-interval-seconds, or in the pool's
#     component.
#   docs: policies/rules/spot/checkpoint_interval/README.md
#   parameters:
#     classes:
#       type: array
#       description: Workload classes that have to declare it.
#       items: {type: string, minLength: 1}
#       default: [training]
#     maxSeconds:
#       type: object
#       description: Environment (or default) → the longest interval, in seconds.
#       required: [default]
#       additionalProperties: {type: integer, minimum: 1}
#       default: {default: 3600}
package tidegate.rules.spot.checkpoint_interval

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SPT-003"]

# Judged when the whole stack is at hand, since only its manifest may declare the interval.
verdicts contains verdict if {
	input.complete
	some resource in input.resources
	some machines in resource.facts.machines
	machines.capacity.value in {"spot", "mixed"}
	declared.workload_class(resource) in _parameters.classes
	verdict := _judge(resource, machines.capacity)
}

_judge(resource, bought) := say.fail(resource, {
	"property": bought.property,
	"message": sprintf("%s trains on spot capacity and does not say how often it saves its work", [say.subject(resource)]),
	"expected": sprintf("at most every %d seconds", [_limit(resource)]),
	"found": "no interval",
}) if {
	not _interval(resource)
} else := say.fail(resource, {
	"property": bought.property,
	"message": sprintf("%s saves its work too seldom for spot capacity", [say.subject(resource)]),
	"expected": sprintf("at most every %d seconds", [_limit(resource)]),
	"found": sprintf("every %v seconds", [_interval(resource)]),
}) if {
	_interval(resource) > _limit(resource)
} else := say.pass(resource, {"property": bought.property})

_interval(resource) := to_number(text) if {
	text := declared.label(resource, "checkpoint-interval-seconds")
	regex.match(`^[1-9][0-9]{0,7}$`, text)
} else := seconds if {
	seconds := declared.pool(resource).checkpoint.intervalSeconds
	is_number(seconds)
}

_limit(resource) := declared.limit(_parameters.maxSeconds, resource)
