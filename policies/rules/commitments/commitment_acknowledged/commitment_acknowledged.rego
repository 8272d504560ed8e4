# METADATA
# title: Acknowledged commitments
# description: >-
#   What is paid for whether it is used or not is bought knowingly: somebody says that they
#   know what it costs and until when.
# custom:
#   id: TG-CMT-001
#   severity: critical
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Declare it as CommittedCapacity with an acknowledgement, set the label
#     acknowledged-by, or name it and who answers for it in the rule's parameters.
#   docs: policies/rules/commitments/commitment_acknowledged/README.md
#   parameters:
#     acknowledged:
#       type: array
#       description: Commitments that somebody answers for; `commitment` is a name or URN, or a glob over it.
#       default: []
#       items:
#         type: object
#         additionalProperties: false
#         required: [commitment, owner]
#         properties:
#           commitment: {type: string, minLength: 1}
#           owner: {type: string, minLength: 1}
package tidegate.rules.commitments.commitment_acknowledged

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-CMT-001"]

verdicts contains verdict if {
	some resource in input.resources
	resource.facts.commitment
	verdict := _judge(resource)
}

_judge(resource) := say.pass(resource, {"found": reason}) if {
	reason := _acknowledgement(resource)
} else := say.fail(resource, {
	"property": "acknowledged-by",
	"message": sprintf("%s is paid for whether it is used or not, and nobody has acknowledged it", [say.subject(resource)]),
	"expected": "an acknowledgement",
	"found": "none",
})

# The component refuses to declare anything that is not acknowledged.
_acknowledgement(resource) := "acknowledged in its component" if {
	contains(resource.urn, "tidegate:index:CommittedCapacity$")
} else := sprintf("acknowledged by %s", [owner]) if {
	owner := declared.label(resource, "acknowledged-by")
} else := sprintf("acknowledged by %s", [entry.owner]) if {
	entry := [each | some each in _parameters.acknowledged; declared.is_named(each.commitment, resource)][0]
}
