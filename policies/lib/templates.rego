# METADATA
# title: Launch templates
# description: What a node group or an Auto Scaling group starts machines from, where it can be seen.
package tidegate.lib.templates

import data.tidegate.lib.accelerators
import data.tidegate.lib.others
import data.tidegate.lib.values

_references := ["launchTemplate", "mixedInstancesPolicy"]

# The launch template that a resource starts machines from; undefined where it is not at hand.
of(resource) := template if {
	some template in others.resources
	template.type == "aws:ec2/launchTemplate:LaunchTemplate"
	_refers_to(resource, template)
}

# Whether its machines carry accelerators.
machines(resource) := accelerators.of_types("aws", [of(resource).properties.instanceType]) if {
	of(resource).properties.instanceType
} else := "unknown"

default is_reserved(_) := false

is_reserved(resource) if _reserves(of(resource))

# Before all resources are at hand, nobody can tell from which launch template a pool starts. One
# that reserves capacity may be it.
default may_be_reserved(_) := false

may_be_reserved(resource) if {
	not input.complete
	not of(resource)
	some property in _references
	values.read(resource.properties, [property]).state != "absent"
	some template in input.context
	_reserves(template)
}

_reserves(template) if {
	values.read(template.properties, ["capacityReservationSpecification", "capacityReservationTarget"]).state != "absent"
}

_refers_to(resource, template) if {
	some property in _references
	template.urn in resource.dependencies[property]
}

_refers_to(resource, template) if resource.properties.launchTemplate.id == template.identifiers.id

_refers_to(resource, template) if {
	specification := resource.properties.mixedInstancesPolicy.launchTemplate.launchTemplateSpecification
	specification.launchTemplateId == template.identifiers.id
}
