# METADATA
# title: Pools of nodes
# description: >-
#   One view of the resource types that keep machines running: EKS node groups, Auto Scaling groups,
#   GKE node pools, AKS agent pools and the pools written inside an AKS cluster. `floors` are the
#   properties that keep a pool above a size; a size that updates ignore is only where a pool
#   starts, and no floor.
package tidegate.lib.pools

import data.tidegate.lib.accelerators
import data.tidegate.lib.values

# The pools of a resource: [{at, name, accelerated, floors: [{property, state, value}],
# reserved, system, marks}]; `start` marks a floor that is a size. Undefined for other types.
of(resource) := [pool] if {
	resource.type == "aws:eks/nodeGroup:NodeGroup"
	properties := resource.properties
	pool := {
		"at": "",
		"name": resource.name,
		"accelerated": accelerators.any_of([
			_eks_machines(resource),
			accelerators.of_keys(accelerators.keys_at(properties, ["labels"])),
			accelerators.of_keys(accelerators.members_at(properties, ["taints"], "key")),
		]),
		"floors": array.concat(
			[_floor(properties, "", ["scalingConfig", "minSize"], null)],
			_start(resource, ["scalingConfig", "desiredSize"]),
		),
		"reserved": _eks_is_reserved(resource),
		"system": false,
		"marks": _marks(resource, ["labels"]),
	}
}

of(resource) := [pool] if {
	resource.type == "aws:autoscaling/group:Group"
	properties := resource.properties
	pool := {
		"at": "",
		"name": resource.name,
		"accelerated": accelerators.any_of([
			_group_machines(resource),
			accelerators.of_keys({entry.key | some entry in properties.tags}),
		]),
		"floors": array.concat(
			[_floor(properties, "", ["minSize"], null)],
			_start(resource, ["desiredCapacity"]),
		),
		"reserved": _group_is_reserved(resource),
		"system": false,
		"marks": _marks(resource, []),
	}
}

of(resource) := [pool] if {
	resource.type == "gcp:container/nodePool:NodePool"
	properties := resource.properties
	pool := {
		"at": "",
		"name": resource.name,
		"accelerated": accelerators.any_of([
			_gke_machines(properties),
			accelerators.of_keys(accelerators.keys_at(properties, ["nodeConfig", "labels"])),
		]),
		"floors": array.concat(
			[
				_floor(properties, "", ["autoscaling", "minNodeCount"], null),
				_floor(properties, "", ["autoscaling", "totalMinNodeCount"], null),
			],
			array.concat(_gke_node_count(resource), _start(resource, ["initialNodeCount"])),
		),
		"reserved": _gke_is_reserved(properties),
		"system": false,
		"marks": _marks(resource, ["nodeConfig", "labels"]),
	}
}

of(resource) := [_aks_pool(resource, resource.properties, "")] if {
	resource.type == "azure-native:containerservice:AgentPool"
}

of(resource) := [_aks_pool(resource, resource.properties.agentPoolProfiles, "agentPoolProfiles.")] if {
	resource.type == "azure-native:containerservice:ManagedCluster"
	values.is_hidden(resource.properties.agentPoolProfiles)
} else := [pool |
	some index, profile in resource.properties.agentPoolProfiles
	pool := _aks_pool(resource, profile, sprintf("agentPoolProfiles[%d].", [index]))
] if {
	resource.type == "azure-native:containerservice:ManagedCluster"
}

_aks_pool(resource, profile, at) := {
	"at": at,
	"name": concat("/", [part | some part in [resource.name, _profile_name(at, profile)]; part != ""]),
	"accelerated": accelerators.any_of([
		accelerators.of_types("azure", [values.read(profile, ["vmSize"]).value]),
		accelerators.of_keys(accelerators.keys_at(profile, ["nodeLabels"])),
		accelerators.of_keys({taint | some taint in profile.nodeTaints}),
	]),
	"floors": array.concat(_aks_minimum(profile, at), _aks_count(resource, profile, at)),
	"reserved": values.read(profile, ["capacityReservationGroupID"]).state != "absent",
	"system": _is_system(profile),
	"marks": object.union(_marks(resource, []), _map_at(profile, ["nodeLabels"])),
}

_profile_name("", _) := ""

_profile_name(at, profile) := profile.name if {
	at != ""
	is_string(profile.name)
} else := trim_suffix(at, ".") if {
	at != ""
}

default _is_system(_) := false

_is_system(profile) if {
	is_string(profile.mode)
	lower(profile.mode) == "system"
}

_aks_minimum(profile, at) := [_floor(profile, at, ["minCount"], null)] if {
	_autoscales(profile)
} else := []

# A pool that nothing scales keeps its count, which the cloud sets to 1 where it is not given.
_aks_count(resource, profile, at) := [] if {
	_ignores(resource, concat("", [at, "count"]))
} else := [object.union(_floor(profile, at, ["count"], _unscaled_count(profile)), {"start": true})]

_unscaled_count(profile) := null if {
	_autoscales(profile)
} else := 1

_autoscales(profile) if profile.enableAutoScaling == true

# `nodeCount` is only a start where the provider itself is told to leave it alone.
_gke_node_count(resource) := [] if {
	resource.properties.ignoreNodeCountChanges == true
} else := _start(resource, ["nodeCount"])

# A size that the engine restores at each update, unless it is told to ignore changes of it.
_start(resource, path) := [] if {
	_ignores(resource, values.dotted(path))
} else := [object.union(_floor(resource.properties, "", path, null), {"start": true})]

_floor(properties, at, path, default_value) := {
	"property": concat("", [at, values.dotted(path)]),
	"state": state,
	"value": value,
	"start": false,
} if {
	found := values.read_number(properties, path)
	[state, value] := _or_default(found, default_value)
}

_or_default(found, default_value) := ["known", default_value] if {
	found.state == "absent"
	default_value != null
} else := [found.state, found.value]

# Property paths in `ignoreChanges` are spelt as the program's language spells them.
_ignores(resource, dotted) if {
	some entry in resource.ignoreChanges
	_covers(_plain(entry), _plain(dotted))
}

_covers("*", _)

_covers(entry, dotted) if startswith(concat("", [dotted, "."]), concat("", [entry, "."]))

_plain(path) := lower(replace(path, "_", ""))

# EKS starts t3.medium where nothing is said.
_eks_machines(resource) := "yes" if {
	is_string(resource.properties.amiType)
	regex.match(`(GPU|NVIDIA|NEURON)`, upper(resource.properties.amiType))
} else := accelerators.of_types("aws", resource.properties.instanceTypes) if {
	is_array(resource.properties.instanceTypes)
	resource.properties.instanceTypes != []
} else := _template_machines(resource) if {
	values.read(resource.properties, ["launchTemplate"]).state != "absent"
} else := "unknown" if {
	values.read(resource.properties, ["instanceTypes"]).state == "hidden"
} else := "no"

_group_machines(resource) := accelerators.of_types("aws", types) if {
	types := [override.instanceType | some override in resource.properties.mixedInstancesPolicy.launchTemplate.overrides]
	count(types) > 0
} else := _template_machines(resource)

_template_machines(resource) := accelerators.of_types("aws", [_template(resource).properties.instanceType]) if {
	_template(resource).properties.instanceType
} else := "unknown"

# The launch template that a resource starts machines from; undefined where it is not at hand.
_template(resource) := template if {
	some template in input.resources
	template.type == "aws:ec2/launchTemplate:LaunchTemplate"
	_refers_to(resource, template)
}

_refers_to(resource, template) if {
	some property in ["launchTemplate", "mixedInstancesPolicy"]
	template.urn in resource.dependencies[property]
}

_refers_to(resource, template) if {
	some reference in _template_references(resource.properties)
	reference == template.identifiers.id
}

_template_references(properties) := [properties.launchTemplate.id] if {
	is_string(properties.launchTemplate.id)
} else := [specification.launchTemplateId] if {
	specification := properties.mixedInstancesPolicy.launchTemplate.launchTemplateSpecification
	is_string(specification.launchTemplateId)
} else := []

default _eks_is_reserved(_) := false

_eks_is_reserved(resource) if resource.properties.capacityType == "CAPACITY_BLOCK"

_eks_is_reserved(resource) if _template_is_reserved(_template(resource))

# Before all resources are at hand, nobody can tell from which launch template a pool starts. One
# that reserves capacity may be it.
default may_be_reserved(_) := false

may_be_reserved(resource) if {
	not input.complete
	not _template(resource)
	some property in ["launchTemplate", "mixedInstancesPolicy"]
	values.read(resource.properties, [property]).state != "absent"
	some template in input.context
	_template_is_reserved(template)
}

default _group_is_reserved(_) := false

_group_is_reserved(resource) if _template_is_reserved(_template(resource))

_template_is_reserved(template) if {
	values.read(template.properties, ["capacityReservationSpecification", "capacityReservationTarget"]).state != "absent"
}

# GKE starts e2-medium where nothing is said.
_gke_machines(properties) := "yes" if {
	is_array(properties.nodeConfig.guestAccelerators)
	count(properties.nodeConfig.guestAccelerators) > 0
} else := "unknown" if {
	values.read(properties, ["nodeConfig", "guestAccelerators"]).state == "hidden"
} else := accelerators.of_types("gcp", [values.read(properties, ["nodeConfig", "machineType"]).value]) if {
	values.read(properties, ["nodeConfig", "machineType"]).state != "absent"
} else := "no"

default _gke_is_reserved(_) := false

_gke_is_reserved(properties) if {
	properties.nodeConfig.reservationAffinity.consumeReservationType == "SPECIFIC_RESERVATION"
}

# What a pool says of itself in labels and tags, Kubernetes' among them.
_marks(resource, node_labels) := object.union_n(array.concat(
	[site.labels | some site in resource.labelSites],
	[_map_at(resource.properties, node_labels)],
))

_map_at(_, []) := {}

_map_at(properties, path) := found.value if {
	count(path) > 0
	found := values.read(properties, path)
	found.state == "known"
	is_object(found.value)
} else := {}
