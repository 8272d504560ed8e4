# METADATA
# title: Cost ceiling of a stack
# description: >-
#   At the largest size of all its pools, at list price, a stack costs no more than its
#   environment allows, or than its own declared hourly ceiling.
# custom:
#   id: TG-SCL-005
#   severity: high
#   level: mandatory
#   scope: stack
#   remediation: >-
#     Lower maxima, or raise the ceiling with whoever pays for it.
#   docs: policies/rules/scaling/stack_cost_ceiling/README.md
#   parameters:
#     hourlyCeilings:
#       type: object
#       description: Environment (or default) → the most the stack may cost an hour at its largest, in USD.
#       additionalProperties: {type: number, minimum: 0}
#       default: {}
#     monthlyCeilings:
#       type: object
#       description: The same for a month of 730 hours.
#       additionalProperties: {type: number, minimum: 0}
#       default: {}
package tidegate.rules.scaling.stack_cost_ceiling

import data.tidegate.lib.capacity
import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SCL-005"]

verdicts contains verdict if {
	input.complete
	ceiling := _ceiling
	verdict := _judge(ceiling)
}

_ceiling := given if {
	given := capacity.ceiling(_parameters, declared.stack)
} else := to_number(input.manifest.hourlyCeiling.amount) if {
	input.manifest.hourlyCeiling.currency == "USD"
	is_string(input.manifest.hourlyCeiling.amount)
	regex.match(_amount, input.manifest.hourlyCeiling.amount)
}

_amount := `^[0-9]{1,12}(\.[0-9]{1,9})?$`

# [resource, USD an hour or null] of each pool.
_costs := [[resource, object.get({"cost": cost | cost := capacity.hourly(resource, machines)}, "cost", null)] |
	some resource in input.resources
	some machines in resource.facts.machines
	machines.kind in {"pool", "group"}
	machines.types
	machines.capacity.value != "reserved"
	not _is_steady(machines)
]

# What nothing scales stays as it is declared, and is not what a ceiling is for.
_is_steady(machines) if {
	machines.maximum.state == "absent"
}

_is_steady(machines) if not machines.maximum

_total := sum([cost | some [_, cost] in _costs; cost != null])

_unpriced := sort([resource.name | some [resource, cost] in _costs; cost == null])

_judge(ceiling) := say.fail(declared.stack, {
	"message": sprintf("the stack %s may cost more than it is allowed to", [input.stack.name]),
	"expected": sprintf("at most %v USD an hour", [ceiling]),
	"found": sprintf("%v USD an hour%s", [_total, _besides]),
}) if {
	_total > ceiling
} else := say.unknown(declared.stack, {
	"message": sprintf("what the stack %s may cost is not known", [input.stack.name]),
	"expected": sprintf("at most %v USD an hour", [ceiling]),
	"found": sprintf("%v USD an hour%s", [_total, _besides]),
}) if {
	_unpriced != []
} else := say.pass(declared.stack, {})

_besides := "" if {
	_unpriced == []
} else := sprintf(", and no price or maximum of %s", [concat(", ", _unpriced)])
