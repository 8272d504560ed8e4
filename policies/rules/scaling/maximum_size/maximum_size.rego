# METADATA
# title: Maximum size
# description: >-
#   A pool has a largest size that its environment can afford. Without one, a wrong loop in
#   a scheduler is a bill.
# custom:
#   id: TG-SCL-003
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set a maximum that the environment allows, or raise the limit of the environment.
#   docs: policies/rules/scaling/maximum_size/README.md
#   parameters:
#     maxNodes:
#       type: object
#       description: Environment (or default) → the most nodes of one pool.
#       required: [default]
#       additionalProperties: {type: integer, minimum: 0}
#       default: {default: 100, dev: 10, test: 10}
package tidegate.rules.scaling.maximum_size

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SCL-003"]

verdicts contains verdict if {
	some resource in input.resources
	some machines in resource.facts.machines
	machines.maximum
	verdict := _judge(resource, machines.kind, machines.maximum)
}

_judge(resource, _, maximum) := say.pass(resource, {"property": maximum.property}) if {
	maximum.state == "known"
	maximum.value <= _limit(resource)
} else := say.fail(resource, {
	"property": maximum.property,
	"message": sprintf("%s may grow larger than its environment allows", [say.subject(resource)]),
	"expected": sprintf("at most %d in %s", [_limit(resource), declared.environment(resource)]),
	"found": sprintf("%v", [maximum.value]),
}) if {
	maximum.state == "known"
} else := say.fail(resource, {
	"property": maximum.property,
	"message": sprintf("%s may grow without end", [say.subject(resource)]),
	"expected": sprintf("at most %d in %s", [_limit(resource), declared.environment(resource)]),
	"found": "no maximum",
}) if {
	maximum.state == "absent"
	_grows_by_itself(resource)
} else := say.not_applicable(resource, {
	"property": maximum.property,
	"message": "nothing in its cloud makes it grow",
}) if {
	maximum.state == "absent"
} else := say.unknown(resource, {
	"property": maximum.property,
	"message": sprintf("the most nodes of %s are not known", [say.subject(resource)]),
	"expected": sprintf("at most %d in %s", [_limit(resource), declared.environment(resource)]),
	"found": "not known yet",
})

_grows_by_itself(resource) if resource.type == "kubernetes:karpenter.sh/v1:NodePool"

_grows_by_itself(resource) if resource.type == "kubernetes:autoscaling/v2:HorizontalPodAutoscaler"

_grows_by_itself(resource) if resource.type == "gcp:cloudrunv2/service:Service"

_limit(resource) := declared.limit(_parameters.maxNodes, resource)
