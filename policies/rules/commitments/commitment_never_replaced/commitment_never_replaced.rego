# METADATA
# title: Commitments are never replaced
# description: >-
#   A change that replaces or deletes a commitment buys it twice, or pays for what is gone.
# custom:
#   id: TG-CMT-005
#   severity: critical
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Undo the change, let updates ignore the property, or keep the old resource and declare
#     a new one beside it.
#   docs: policies/rules/commitments/commitment_never_replaced/README.md
package tidegate.rules.commitments.commitment_never_replaced

import data.tidegate.lib.verdicts as say

_losing := {"replace", "create-replacement", "delete-replaced", "delete"}

verdicts contains verdict if {
	some resource in input.resources
	resource.facts.commitment
	resource.operation != ""
	verdict := _judge(resource)
}

_judge(resource) := say.fail(resource, {
	"message": sprintf("%s would be %s, and is paid for all the same", [say.subject(resource), _words(resource.operation)]),
	"expected": "no replacement and no deletion",
	"found": resource.operation,
}) if {
	resource.operation in _losing
} else := say.pass(resource, {})

_words("delete") := "deleted"

_words(operation) := "replaced" if operation != "delete"
