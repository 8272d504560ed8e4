# METADATA
# title: Residency of data
# description: >-
#   Data of a class stays where it may lie, and so does what holds it.
# custom:
#   id: TG-PLC-002
#   severity: critical
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Move the resource to a region that its data may lie in, or correct its data-class.
#   docs: policies/rules/placement/data_residency/README.md
#   parameters:
#     residency:
#       type: object
#       description: Data class → regions of all clouds where it may lie, as globs over the whole name.
#       additionalProperties: {type: array, items: {type: string, minLength: 1}}
#       default: {}
#     classKey:
#       type: string
#       description: The label that names the class of the data that a resource holds.
#       minLength: 1
#       default: data-class
package tidegate.rules.placement.data_residency

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-PLC-002"]

verdicts contains verdict if {
	_parameters.residency != {}
	some resource in input.resources
	resource.cloud != ""
	allowed := _parameters.residency[declared.label(resource, _parameters.classKey)]
	verdict := _judge(resource, allowed)
}

_judge(resource, allowed) := say.pass(resource, {"property": region.property}) if {
	region := resource.facts.region
	region.state == "known"
	some pattern in allowed
	glob.match(pattern, null, region.value)
} else := say.fail(resource, {
	"property": region.property,
	"message": sprintf("%s holds %s data where it may not lie", [say.subject(resource), _class(resource)]),
	"expected": concat(", ", allowed),
	"found": region.value,
}) if {
	region := resource.facts.region
	region.state == "known"
} else := say.unknown(resource, {
	"message": sprintf("where %s holds %s data is not known yet", [say.subject(resource), _class(resource)]),
	"expected": concat(", ", allowed),
	"found": "not known yet",
})

_class(resource) := declared.label(resource, _parameters.classKey)
