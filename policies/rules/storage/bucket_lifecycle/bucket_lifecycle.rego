# METADATA
# title: Every bucket has a lifecycle
# description: >-
#   A bucket says what becomes of its objects. Without a lifecycle it only grows.
# custom:
#   id: TG-STO-001
#   severity: medium
#   level: advisory
#   scope: resource
#   remediation: >-
#     Give the bucket a lifecycle that moves or deletes what has aged.
#   docs: policies/rules/storage/bucket_lifecycle/README.md
package tidegate.rules.storage.bucket_lifecycle

import data.tidegate.lib.lifecycles
import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	some resource in input.resources
	lifecycle := lifecycles.of(resource)
	verdict := _judge(resource, lifecycle)
}

_judge(resource, lifecycle) := say.pass(resource, {}) if {
	lifecycle.actions != []
} else := say.unknown(resource, {
	"message": sprintf("what becomes of the objects of %s is not known yet", [say.subject(resource)]),
	"expected": "a lifecycle",
	"found": "not known yet",
}) if {
	lifecycle.state == "hidden"
} else := say.fail(resource, {
	"message": sprintf("%s has no lifecycle, so that it only grows", [say.subject(resource)]),
	"expected": "a rule that moves or deletes what has aged",
	"found": "none",
}) if {
	_is_whole(resource, lifecycle)
}

_is_whole(_, lifecycle) if lifecycle.state == "known"

# Cloud Storage writes it nowhere else.
_is_whole(resource, _) if not resource.facts.bucket.apart
