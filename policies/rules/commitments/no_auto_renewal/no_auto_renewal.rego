# METADATA
# title: No automatic renewal
# description: >-
#   A commitment is renewed by a decision, on the use of the last months, not by default.
# custom:
#   id: TG-CMT-004
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Switch automatic renewal off, or name the commitment and who approved its renewal in
#     the rule's parameters.
#   docs: policies/rules/commitments/no_auto_renewal/README.md
#   parameters:
#     approved:
#       type: array
#       description: Commitments that may renew themselves; `commitment` is a name or URN, or a glob over it.
#       default: []
#       items:
#         type: object
#         additionalProperties: false
#         required: [commitment, owner]
#         properties:
#           commitment: {type: string, minLength: 1}
#           owner: {type: string, minLength: 1}
package tidegate.rules.commitments.no_auto_renewal

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-CMT-004"]

verdicts contains verdict if {
	some resource in input.resources
	renews := resource.facts.commitment.renews
	verdict := _judge(resource, renews)
}

_judge(resource, renews) := say.pass(resource, {"property": renews.property}) if {
	not _may_renew(renews)
} else := say.pass(resource, {"property": renews.property, "found": sprintf("approved by %s", [approval.owner])}) if {
	approval := [each | some each in _parameters.approved; declared.is_named(each.commitment, resource)][0]
} else := say.unknown(resource, {
	"property": renews.property,
	"message": sprintf("whether %s renews itself is not known yet", [say.subject(resource)]),
	"expected": "false",
	"found": "not known yet",
}) if {
	renews.state == "hidden"
} else := say.fail(resource, {
	"property": renews.property,
	"message": sprintf("%s renews itself for another term", [say.subject(resource)]),
	"expected": "false",
	"found": "true",
})

_may_renew(renews) if renews.value == true

_may_renew(renews) if renews.state == "hidden"
