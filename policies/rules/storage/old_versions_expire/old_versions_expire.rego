# METADATA
# title: Old versions expire
# description: >-
#   A bucket that keeps old versions deletes them when they have aged; each overwritten
#   checkpoint stays otherwise, invisible and billed.
# custom:
#   id: TG-STO-005
#   severity: low
#   level: advisory
#   scope: resource
#   remediation: >-
#     Delete versions that are no longer current after some days.
#   docs: policies/rules/storage/old_versions_expire/README.md
package tidegate.rules.storage.old_versions_expire

import data.tidegate.lib.lifecycles
import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	input.complete
	some resource in input.resources
	lifecycle := lifecycles.of(resource)
	lifecycles.versioned(resource) != "no"
	verdict := _judge(resource, lifecycle)
}

_judge(resource, lifecycle) := say.pass(resource, {}) if {
	some action in lifecycle.actions
	action.action == "expire"
	action.of == "old"
} else := say.unknown(resource, {
	"message": sprintf("what becomes of what %s no longer shows is not known yet", [say.subject(resource)]),
	"expected": "a rule that deletes it",
	"found": "not known yet",
}) if {
	_is_unsure(resource, lifecycle)
} else := say.fail(resource, {
	"message": sprintf("%s keeps old versions for ever", [say.subject(resource)]),
	"expected": "a rule that deletes them",
	"found": "none",
})

_is_unsure(_, lifecycle) if lifecycle.state == "hidden"

_is_unsure(resource, _) if lifecycles.versioned(resource) == "unknown"
