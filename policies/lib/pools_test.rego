package tidegate.lib.pools_test

import data.tidegate.lib.fixtures
import data.tidegate.lib.pools

of(resource) := found if {
	found := pools.of(resource) with input as fixtures.document([], {})
}

accelerated(resource) := of(resource)[0].accelerated

floors(resource) := of(resource)[0].floors

known(property, value) := {"property": property, "state": "known", "value": value, "start": false}

absent(property) := {"property": property, "state": "absent", "value": null, "start": false}

start(floor) := object.union(floor, {"start": true})

# --- EKS

node_group(properties) := fixtures.resource("aws:eks/nodeGroup:NodeGroup", properties)

eks_scaling := {"scalingConfig": {"minSize": 0, "desiredSize": 2, "maxSize": 4}}

test_eks_pool_is_read_whole if {
	resource := node_group(object.union(eks_scaling, {
		"instanceTypes": ["p5.48xlarge"],
		"labels": {"service-level": "chat"},
	}))
	of(resource) == [{
		"at": "",
		"name": "it",
		"accelerated": "yes",
		"floors": [known("scalingConfig.minSize", 0), start(known("scalingConfig.desiredSize", 2))],
		"reserved": false,
		"committed": null,
		"system": false,
		"marks": object.union(fixtures.cost_labels, {"service-level": "chat"}),
	}]
}

test_eks_desired_size_is_no_floor_where_updates_ignore_it if {
	every entry in ["scalingConfig.desiredSize", "scaling_config.desired_size", "scalingConfig", "*"] {
		resource := object.union(node_group(eks_scaling), {"ignoreChanges": [entry]})
		floors(resource) == [known("scalingConfig.minSize", 0)]
	}
	count(floors(object.union(node_group(eks_scaling), {"ignoreChanges": ["scalingConfig.desired"]}))) == 2
}

test_eks_hidden_scaling_is_hidden_floor if {
	hidden := {"state": "hidden", "value": null, "start": false}
	floors(node_group({"scalingConfig": fixtures.unknown})) == [
		object.union(hidden, {"property": "scalingConfig.minSize"}),
		start(object.union(hidden, {"property": "scalingConfig.desiredSize"})),
	]
}

test_eks_accelerators_are_told_by_types_images_labels_and_taints if {
	every properties in [
		{"amiType": "AL2023_x86_64_NVIDIA", "launchTemplate": {"id": fixtures.unknown}},
		{"instanceTypes": ["trn1.32xlarge"]},
		{"instanceTypes": fixtures.unknown, "labels": {"k8s.amazonaws.com/accelerator": "h100"}},
		{"instanceTypes": ["m7i.large"], "taints": [{"key": "nvidia.com/gpu", "effect": "NO_SCHEDULE"}]},
	] {
		accelerated(node_group(properties)) == "yes"
	}
}

test_eks_without_any_word_starts_no_accelerator if {
	accelerated(node_group({})) == "no"
	accelerated(node_group({"instanceTypes": ["m7i.large"], "amiType": fixtures.unknown})) == "no"
}

test_eks_type_that_is_elsewhere_or_unknown_is_a_doubt if {
	accelerated(node_group({"instanceTypes": fixtures.unknown})) == "unknown"
	accelerated(node_group({"launchTemplate": {"id": "lt-1"}})) == "unknown"
	accelerated(node_group({"instanceTypes": [], "launchTemplate": fixtures.unknown})) == "unknown"
}

test_eks_capacity_block_is_reserved if {
	of(node_group({"capacityType": "CAPACITY_BLOCK"}))[0].reserved
	not of(node_group({"capacityType": "SPOT"}))[0].reserved
}

# --- launch templates

template := object.union(
	fixtures.resource("aws:ec2/launchTemplate:LaunchTemplate", {
		"instanceType": "p5.48xlarge",
		"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
	}),
	{"identifiers": {"id": "lt-1"}},
)

of_with_template(resource) := found if {
	found := pools.of(resource)[0] with input as fixtures.document([template, resource], {})
}

by_dependency(resource, property) := object.union(resource, {"dependencies": {property: [template.urn]}})

test_a_launch_template_of_the_stack_tells_type_and_reservation if {
	group := fixtures.resource("aws:autoscaling/group:Group", {"minSize": 1})
	every resource in [
		node_group({"launchTemplate": {"id": "lt-1"}}),
		by_dependency(node_group({"launchTemplate": {"id": fixtures.unknown}}), "launchTemplate"),
		by_dependency(group, "mixedInstancesPolicy"),
		fixtures.resource("aws:autoscaling/group:Group", {
			"mixedInstancesPolicy": {"launchTemplate": {"launchTemplateSpecification": {"launchTemplateId": "lt-1"}}},
		}),
	] {
		pool := of_with_template(resource)
		pool.accelerated == "yes"
		pool.reserved
	}
}

test_another_launch_template_tells_nothing if {
	every id in ["lt-2", fixtures.unknown] {
		pool := of_with_template(node_group({"launchTemplate": {"id": id}}))
		pool.accelerated == "unknown"
		not pool.reserved
	}
}

# --- Auto Scaling groups

group(properties) := fixtures.resource("aws:autoscaling/group:Group", properties)

test_group_is_read_by_overrides_and_tags if {
	overrides := [{"instanceType": "g6.xlarge"}, {"instanceType": "g5.xlarge"}]
	accelerated(group({"mixedInstancesPolicy": {"launchTemplate": {"overrides": overrides}}})) == "yes"
	accelerated(group({"tags": [{"key": "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"}]})) == "yes"
	accelerated(group({})) == "unknown"
}

test_group_floors if {
	floors(group({"minSize": 1, "desiredCapacity": 2})) == [
		known("minSize", 1),
		start(known("desiredCapacity", 2)),
	]
	floors(object.union(group({"minSize": 0, "desiredCapacity": 2}), {"ignoreChanges": ["desiredCapacity"]})) == [known(
		"minSize",
		0,
	)]
}

# --- GKE

node_pool(properties) := fixtures.resource("gcp:container/nodePool:NodePool", properties)

test_gke_pool_is_read_whole if {
	resource := node_pool({
		"autoscaling": {"minNodeCount": 0, "maxNodeCount": 4},
		"initialNodeCount": 1,
		"nodeConfig": {"machineType": "a3-highgpu-8g", "labels": {"role": "train"}},
	})
	of(resource) == [{
		"at": "",
		"name": "it",
		"accelerated": "yes",
		"floors": [
			known("autoscaling.minNodeCount", 0),
			absent("autoscaling.totalMinNodeCount"),
			start(absent("nodeCount")),
			start(known("initialNodeCount", 1)),
		],
		"reserved": false,
		"committed": null,
		"system": false,
		"marks": object.union(fixtures.cost_labels, {"role": "train"}),
	}]
}

test_gke_node_count_is_no_floor_where_the_provider_leaves_it_alone if {
	resource := node_pool({"nodeCount": 3, "ignoreNodeCountChanges": true})
	every floor in floors(resource) {
		floor.property != "nodeCount"
	}
}

test_gke_accelerators if {
	accelerated(node_pool({"nodeConfig": {"machineType": "n1-standard-8", "guestAccelerators": [{"count": 1}]}})) == "yes"
	accelerated(node_pool({"nodeConfig": {"guestAccelerators": fixtures.unknown}})) == "unknown"
	accelerated(node_pool({"nodeConfig": {"machineType": fixtures.unknown}})) == "unknown"
	accelerated(node_pool({"nodeConfig": fixtures.unknown})) == "unknown"
	accelerated(node_pool({"nodeConfig": {"machineType": "n2-standard-4"}})) == "no"
	accelerated(node_pool({})) == "no"
	accelerated(node_pool({"nodeConfig": {"labels": {"cloud.google.com/gke-accelerator": "nvidia-l4"}}})) == "yes"
}

test_gke_specific_reservation_is_reserved if {
	of(node_pool({"nodeConfig": {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}}))[0].reserved
	not of(node_pool({"nodeConfig": {"reservationAffinity": {"consumeReservationType": "ANY_RESERVATION"}}}))[0].reserved
}

# --- AKS

agent_pool(properties) := fixtures.resource("azure-native:containerservice:AgentPool", properties)

test_aks_autoscaled_pool_is_read_whole if {
	resource := object.union(
		agent_pool({
			"enableAutoScaling": true,
			"minCount": 0,
			"count": 1,
			"mode": "User",
			"vmSize": "Standard_NC24ads_A100_v4",
			"nodeLabels": {"tidegate.dev/service-level": "chat"},
		}),
		{"ignoreChanges": ["count"]},
	)
	of(resource) == [{
		"at": "",
		"name": "it",
		"accelerated": "yes",
		"floors": [known("minCount", 0)],
		"reserved": false,
		"committed": null,
		"system": false,
		"marks": object.union(fixtures.cost_labels, {"tidegate.dev/service-level": "chat"}),
	}]
}

test_aks_pool_that_nothing_scales_has_one_node_unless_it_says if {
	floors(agent_pool({})) == [start(known("count", 1))]
	floors(agent_pool({"count": 0})) == [start(known("count", 0))]
	floors(agent_pool({"enableAutoScaling": true})) == [absent("minCount"), start(absent("count"))]
}

test_aks_accelerators if {
	accelerated(agent_pool({"vmSize": "Standard_D4s_v5", "nodeTaints": ["nvidia.com/gpu=present:NoSchedule"]})) == "yes"
	accelerated(agent_pool({"nodeLabels": {"nvidia.com/gpu": "h100"}})) == "yes"
	accelerated(agent_pool({})) == "unknown"
	accelerated(agent_pool({"vmSize": "Standard_D4s_v5"})) == "no"
}

test_aks_reservation_group_is_reserved if {
	every id in ["/subscriptions/x", fixtures.unknown] {
		of(agent_pool({"capacityReservationGroupID": id}))[0].reserved
	}
}

cluster(properties) := fixtures.resource("azure-native:containerservice:ManagedCluster", properties)

test_aks_pools_inside_a_cluster_are_read_each if {
	resource := cluster({"agentPoolProfiles": [
		{"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D2s_v5"},
		{"vmSize": "Standard_NC4as_T4_v3", "enableAutoScaling": true, "minCount": 1},
		fixtures.unknown,
	]})
	[[pool.name, pool.accelerated, pool.system, pool.floors] | some pool in of(resource)] == [
		["it/system", "no", true, [start(known("agentPoolProfiles[0].count", 1))]],
		["it/agentPoolProfiles[1]", "yes", false, [
			known("agentPoolProfiles[1].minCount", 1),
			start(absent("agentPoolProfiles[1].count")),
		]],
		["it/agentPoolProfiles[2]", "unknown", false, [{
			"property": "agentPoolProfiles[2].count",
			"state": "hidden",
			"value": null,
			"start": true,
		}]],
	]
}

test_aks_hidden_pools_are_one_doubt if {
	[[pool.name, pool.accelerated] | some pool in of(cluster({"agentPoolProfiles": fixtures.unknown}))] == [[
		"it/agentPoolProfiles",
		"unknown",
	]]
}

test_aks_cluster_without_inline_pools_has_none if of(cluster({})) == []

test_other_types_are_no_pools if not pools.of(fixtures.resource("aws:s3/bucket:Bucket", {}))
