# METADATA
# title: Spot for what can be interrupted
# description: >-
#   Work that survives an interruption runs on spot capacity, which costs a third.
# custom:
#   id: TG-SPT-001
#   severity: medium
#   level: advisory
#   scope: resource
#   remediation: >-
#     Buy the pool as spot and declare how often its work is checkpointed; or say by the
#     label interruption-tolerance that it is intolerant.
#   docs: policies/rules/spot/spot_for_tolerant/README.md
#   parameters:
#     tolerantClasses:
#       type: array
#       description: Workload classes that survive an interruption.
#       items: {type: string, minLength: 1}
#       default: [training, pipeline]
package tidegate.rules.spot.spot_for_tolerant

import data.tidegate.lib.capacity
import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SPT-001"]

# Judged when the whole stack is at hand, since its manifest may say more than the label.
verdicts contains verdict if {
	input.complete
	some resource in input.resources
	some machines in resource.facts.machines
	machines.capacity
	machines.capacity.state != "absent"
	capacity.tolerance(resource, _parameters.tolerantClasses) == "tolerant"
	verdict := _judge(resource, machines.capacity)
}

_judge(resource, bought) := say.fail(resource, {
	"property": bought.property,
	"message": sprintf("%s buys on demand what %s work could have as spot", [
		say.subject(resource), declared.workload_class(resource),
	]),
	"expected": "spot",
	"found": bought.value,
}) if {
	bought.value == "on-demand"
	not _is_base(resource)
} else := say.unknown(resource, {
	"property": bought.property,
	"message": sprintf("how %s is bought is not known", [say.subject(resource)]),
	"expected": "spot",
	"found": "not known yet",
}) if {
	bought.state == "hidden"
} else := say.pass(resource, {"property": bought.property})

# The first nodes of a spot pool may be bought on demand, by a template of their own.
_is_base(resource) if {
	nodes := declared.pool(resource).onDemandBaseNodes
	is_number(nodes)
	nodes > 0
}
