# METADATA
# title: Protected commitments
# description: >-
#   A commitment cannot be deleted by a change of the program: what is deleted is paid for
#   all the same, and what is made again is bought again.
# custom:
#   id: TG-CMT-002
#   severity: critical
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set the resource option protect.
#   docs: policies/rules/commitments/commitment_protected/README.md
package tidegate.rules.commitments.commitment_protected

import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	some resource in input.resources
	resource.facts.commitment
	verdict := _judge(resource)
}

_judge(resource) := say.pass(resource, {"property": "protect"}) if {
	resource.protect
} else := say.fail(resource, {
	"property": "protect",
	"message": sprintf("%s can be deleted by a change of the program, and bought again by the next", [say.subject(resource)]),
	"expected": "true",
	"found": "false",
})
