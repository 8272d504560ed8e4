# METADATA
# title: Unfinished uploads end
# description: >-
#   Parts of uploads that were never finished are deleted; they are in no listing and on
#   every bill.
# custom:
#   id: TG-STO-006
#   severity: low
#   level: advisory
#   scope: resource
#   remediation: >-
#     Abort uploads that are not finished after some days.
#   docs: policies/rules/storage/unfinished_uploads_end/README.md
package tidegate.rules.storage.unfinished_uploads_end

import data.tidegate.lib.lifecycles
import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	input.complete
	some resource in input.resources
	lifecycle := lifecycles.of(resource)
	resource.cloud != "azure"
	verdict := _judge(resource, lifecycle)
}

_judge(resource, lifecycle) := say.pass(resource, {}) if {
	some action in lifecycle.actions
	action.action == "abort"
	action.of == "uploads"
} else := say.unknown(resource, {
	"message": sprintf("what becomes of what %s no longer shows is not known yet", [say.subject(resource)]),
	"expected": "a rule that deletes it",
	"found": "not known yet",
}) if {
	_is_unsure(resource, lifecycle)
} else := say.fail(resource, {
	"message": sprintf("%s keeps the parts of unfinished uploads for ever", [say.subject(resource)]),
	"expected": "a rule that deletes them",
	"found": "none",
})

_is_unsure(_, lifecycle) if lifecycle.state == "hidden"
