# METADATA
# title: Terms of commitments
# description: >-
#   What cannot be left is bought only where its environment lasts that long, and for no
#   longer than anybody can foresee.
# custom:
#   id: TG-CMT-006
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Choose a shorter term, or raise what the environment allows.
#   docs: policies/rules/commitments/commitment_term/README.md
#   parameters:
#     maxMonths:
#       type: object
#       description: Environment (or default) → the longest term in months; 0 allows none.
#       required: [default]
#       additionalProperties: {type: integer, minimum: 0}
#       default: {default: 0, prod: 36}
package tidegate.rules.commitments.commitment_term

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-CMT-006"]

verdicts contains verdict if {
	some resource in input.resources
	resource.facts.commitment.kind == "purchase"
	verdict := _judge(resource, resource.facts.commitment.months)
}

_judge(resource, months) := say.fail(resource, {
	"property": months.property,
	"message": sprintf("%s is a purchase, which %s may not make", [say.subject(resource), declared.environment(resource)]),
	"expected": "no purchase",
	"found": "a purchase",
}) if {
	_limit(resource) == 0
} else := say.fail(resource, {
	"property": months.property,
	"message": sprintf("%s is bought for longer than its environment allows", [say.subject(resource)]),
	"expected": sprintf("at most %d months", [_limit(resource)]),
	"found": sprintf("%d months", [months.value]),
}) if {
	months.value > _limit(resource)
	months.state == "known"
} else := say.pass(resource, {"property": months.property}) if {
	months.state == "known"
} else := say.unknown(resource, {
	"property": months.property,
	"message": sprintf("for how long %s is bought is not known here", [say.subject(resource)]),
	"expected": sprintf("at most %d months", [_limit(resource)]),
	"found": "an offering that names its term elsewhere",
})

_limit(resource) := declared.limit(_parameters.maxMonths, resource)
