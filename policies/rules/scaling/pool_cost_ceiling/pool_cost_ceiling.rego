# METADATA
# title: Cost ceiling of a pool
# description: >-
#   At its largest size, at list price, a pool costs no more than its environment allows for
#   one pool.
# custom:
#   id: TG-SCL-004
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Lower the maximum, choose cheaper machines, or raise the environment's ceiling.
#   docs: policies/rules/scaling/pool_cost_ceiling/README.md
#   parameters:
#     hourlyCeilings:
#       type: object
#       description: Environment (or default) → the most one pool may cost an hour at its largest, in USD.
#       additionalProperties: {type: number, minimum: 0}
#       default: {}
#     monthlyCeilings:
#       type: object
#       description: The same for a month of 730 hours.
#       additionalProperties: {type: number, minimum: 0}
#       default: {}
package tidegate.rules.scaling.pool_cost_ceiling

import data.tidegate.lib.capacity
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SCL-004"]

verdicts contains verdict if {
	some resource in input.resources
	some machines in resource.facts.machines
	machines.maximum
	machines.types
	ceiling := capacity.ceiling(_parameters, resource)
	verdict := _judge(resource, machines, ceiling)
}

_judge(resource, machines, ceiling) := say.unknown(resource, {
	"property": machines.maximum.property,
	"message": sprintf("what %s costs at its largest is not known", [say.subject(resource)]),
	"expected": sprintf("at most %v USD an hour", [ceiling]),
	"found": "no price or no maximum",
}) if {
	not capacity.hourly(resource, machines)
} else := say.fail(resource, {
	"property": machines.maximum.property,
	"message": sprintf("%s may cost more than its environment allows for one pool", [say.subject(resource)]),
	"expected": sprintf("at most %v USD an hour", [ceiling]),
	"found": sprintf("%v USD an hour", [capacity.hourly(resource, machines)]),
}) if {
	capacity.hourly(resource, machines) > ceiling
} else := say.pass(resource, {"property": machines.maximum.property})
