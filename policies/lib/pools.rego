# METADATA
# title: Pools of nodes
# description: >-
#   One view of the resource types that keep machines running: EKS node groups, Auto Scaling groups,
#   GKE node pools, AKS agent pools and the pools written inside an AKS cluster.
package tidegate.lib.pools

import data.tidegate.lib.accelerators
import data.tidegate.lib.commitments
import data.tidegate.lib.floors
import data.tidegate.lib.templates
import data.tidegate.lib.values

# The pools of a resource, undefined for other types. Each has
#   at           where it stands in the resource ("" or "agentPoolProfiles[0].")
#   name         what people call it
#   accelerated  "yes", "no" or "unknown"
#   floors       what keeps it above a size (see lib/floors.rego)
#   reserved     whether it consumes a reservation
#   committed    the nodes that the reservation pays for, null where nobody can tell
#   system       whether its cluster needs it
#   marks        its labels and tags, Kubernetes' among them
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
			[floors.floor(properties, "", ["scalingConfig", "minSize"], null)],
			floors.start(resource, resource.properties, "", ["scalingConfig", "desiredSize"], null),
		),
		"reserved": _eks_is_reserved(resource),
		"committed": commitments.nodes(resource),
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
			[floors.floor(properties, "", ["minSize"], null)],
			floors.start(resource, resource.properties, "", ["desiredCapacity"], null),
		),
		"reserved": templates.is_reserved(resource),
		"committed": commitments.nodes(resource),
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
				floors.floor(properties, "", ["autoscaling", "minNodeCount"], null),
				floors.floor(properties, "", ["autoscaling", "totalMinNodeCount"], null),
			],
			array.concat(_gke_node_count(resource), floors.start(resource, resource.properties, "", ["initialNodeCount"], null)),
		),
		"reserved": _gke_is_reserved(properties),
		"committed": commitments.nodes(resource),
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
	"committed": commitments.nodes(resource),
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

_aks_minimum(profile, at) := [floors.floor(profile, at, ["minCount"], null)] if {
	_autoscales(profile)
} else := []

# A pool that nothing scales keeps its count, which the cloud sets to 1 where it is not given.
_aks_count(resource, profile, at) := floors.start(resource, profile, at, ["count"], _unscaled_count(profile))

_unscaled_count(profile) := null if {
	_autoscales(profile)
} else := 1

_autoscales(profile) if profile.enableAutoScaling == true

# `nodeCount` is only a start where the provider itself is told to leave it alone.
_gke_node_count(resource) := [] if {
	resource.properties.ignoreNodeCountChanges == true
} else := floors.start(resource, resource.properties, "", ["nodeCount"], null)

# EKS starts t3.medium where nothing is said.
_eks_machines(resource) := "yes" if {
	is_string(resource.properties.amiType)
	regex.match(`(GPU|NVIDIA|NEURON)`, upper(resource.properties.amiType))
} else := accelerators.of_types("aws", resource.properties.instanceTypes) if {
	is_array(resource.properties.instanceTypes)
	resource.properties.instanceTypes != []
} else := templates.machines(resource) if {
	values.read(resource.properties, ["launchTemplate"]).state != "absent"
} else := "unknown" if {
	values.read(resource.properties, ["instanceTypes"]).state == "hidden"
} else := "no"

_group_machines(resource) := accelerators.of_types("aws", types) if {
	types := [override.instanceType | some override in resource.properties.mixedInstancesPolicy.launchTemplate.overrides]
	count(types) > 0
} else := templates.machines(resource)

# GKE starts e2-medium where nothing is said.
_gke_machines(properties) := "yes" if {
	is_array(properties.nodeConfig.guestAccelerators)
	count(properties.nodeConfig.guestAccelerators) > 0
} else := "unknown" if {
	values.read(properties, ["nodeConfig", "guestAccelerators"]).state == "hidden"
} else := accelerators.of_types("gcp", [values.read(properties, ["nodeConfig", "machineType"]).value]) if {
	values.read(properties, ["nodeConfig", "machineType"]).state != "absent"
} else := "no"

default _eks_is_reserved(_) := false

_eks_is_reserved(resource) if resource.properties.capacityType == "CAPACITY_BLOCK"

_eks_is_reserved(resource) if templates.is_reserved(resource)

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
