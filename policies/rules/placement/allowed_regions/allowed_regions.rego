# METADATA
# title: Allowed regions
# description: >-
#   Resources stand in the regions that the estate has chosen; elsewhere there is no
#   discount, no quota and no network.
# custom:
#   id: TG-PLC-001
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Move the resource to an allowed region, or allow its region.
#   docs: policies/rules/placement/allowed_regions/README.md
#   parameters:
#     regions:
#       type: object
#       description: Cloud (aws, gcp, azure) → allowed regions, as globs over the whole name.
#       additionalProperties: {type: array, items: {type: string, minLength: 1}}
#       default: {}
package tidegate.rules.placement.allowed_regions

import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-PLC-001"]

verdicts contains verdict if {
	some resource in input.resources
	region := resource.facts.region
	allowed := _parameters.regions[resource.cloud]
	verdict := _judge(resource, region, allowed)
}

_judge(resource, region, allowed) := say.unknown(resource, {
	"property": region.property,
	"message": sprintf("in which region %s stands is not known yet", [say.subject(resource)]),
	"expected": concat(", ", allowed),
	"found": "not known yet",
}) if {
	region.state != "known"
} else := say.pass(resource, {"property": region.property}) if {
	some pattern in array.concat(allowed, ["global"])
	glob.match(pattern, null, region.value)
} else := say.fail(resource, {
	"property": region.property,
	"message": sprintf("%s stands in a region that is not allowed", [say.subject(resource)]),
	"expected": concat(", ", allowed),
	"found": region.value,
})
