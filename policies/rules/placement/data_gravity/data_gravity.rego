# METADATA
# title: Compute stands beside its data
# description: >-
#   What reads a dataset stands in the dataset's region; every epoch across regions is
#   billed by the byte.
# custom:
#   id: TG-PLC-003
#   severity: medium
#   level: advisory
#   scope: stack
#   remediation: >-
#     Move the compute to its dataset, or keep a copy of the dataset where it is read.
#   docs: policies/rules/placement/data_gravity/README.md
#   parameters:
#     datasetKey:
#       type: string
#       description: The label that names a dataset, on the bucket that holds it and on what reads it.
#       minLength: 1
#       default: dataset
package tidegate.rules.placement.data_gravity

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-PLC-003"]

# Dataset → [cloud, region] of each bucket that holds it.
_places[dataset] contains [bucket.cloud, region] if {
	some bucket in input.resources
	bucket.facts.bucket
	dataset := declared.label(bucket, _parameters.datasetKey)
	region := bucket.facts.region.value
	is_string(region)
}

# Judged when the whole stack is at hand, which tells where the dataset is.
verdicts contains verdict if {
	input.complete
	some resource in input.resources
	resource.facts.machines
	dataset := declared.label(resource, _parameters.datasetKey)
	verdict := _judge(resource, dataset)
}

_judge(resource, dataset) := say.unknown(resource, {
	"message": sprintf("where %s or its dataset %s stands is not known", [say.subject(resource), dataset]),
	"expected": "the region of the dataset",
	"found": "not known",
}) if {
	not _is_known(resource, dataset)
} else := say.pass(resource, {}) if {
	some [cloud, region] in _places[dataset]
	cloud == resource.cloud
	_is_near(resource.facts.region.value, region)
} else := say.fail(resource, {
	"property": resource.facts.region.property,
	"message": sprintf("%s reads the dataset %s from afar", [say.subject(resource), dataset]),
	"expected": concat(", ", sort([concat(" ", place) | some place in _places[dataset]])),
	"found": sprintf("%s %s", [resource.cloud, resource.facts.region.value]),
})

_is_known(resource, dataset) if {
	is_string(resource.facts.region.value)
	count(_places[dataset]) > 0
}

_is_near(here, there) if here == there

# A bucket in a multi-region ("us", "eu") is near to what stands in it.
_is_near(here, there) if startswith(here, concat("", [there, "-"]))

_is_near(here, "eu") if startswith(here, "europe-")
