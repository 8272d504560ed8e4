# METADATA
# title: No spot for what must not be interrupted
# description: >-
#   What serves users or holds their unsaved work never runs on capacity that its cloud
#   takes back at two minutes' notice.
# custom:
#   id: TG-SPT-002
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Buy the pool on demand or reserve it; or say by the label interruption-tolerance that
#     it is tolerant.
#   docs: policies/rules/spot/no_spot_for_intolerant/README.md
#   parameters:
#     intolerantClasses:
#       type: array
#       description: Workload classes that an interruption hurts.
#       items: {type: string, minLength: 1}
#       default: [inference, notebook, platform]
package tidegate.rules.spot.no_spot_for_intolerant

import data.tidegate.lib.capacity
import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SPT-002"]

verdicts contains verdict if {
	some resource in input.resources
	some machines in resource.facts.machines
	machines.capacity
	machines.capacity.state != "absent"
	_is_intolerant(resource)
	verdict := _judge(resource, machines.capacity)
}

_is_intolerant(resource) if {
	declared.workload_class(resource) in _parameters.intolerantClasses
	not capacity.stated_tolerance(resource)
}

_is_intolerant(resource) if capacity.stated_tolerance(resource) == "intolerant"

_judge(resource, bought) := say.fail(resource, {
	"property": bought.property,
	"message": sprintf("%s runs on spot capacity what must not be interrupted", [say.subject(resource)]),
	"expected": "on-demand or reserved",
	"found": bought.value,
}) if {
	bought.value in {"spot", "mixed"}
} else := say.unknown(resource, {
	"property": bought.property,
	"message": sprintf("how %s is bought is not known", [say.subject(resource)]),
	"expected": "on-demand or reserved",
	"found": "not known yet",
}) if {
	bought.state == "hidden"
} else := say.pass(resource, {"property": bought.property})
