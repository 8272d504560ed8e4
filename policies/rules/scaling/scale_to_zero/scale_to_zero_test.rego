package tidegate.rules.scaling.scale_to_zero_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.scaling.scale_to_zero as rule

defaults := {"exceptions": [], "serviceLevelKey": "service-level", "commitmentKey": "commitment"}

verdicts(resource) := verdicts_with(resource, {})

verdicts_with(resource, parameters) := found if {
	all_parameters := {"TG-SCL-001": object.union(defaults, parameters)}
	found := rule.verdicts with input as fixtures.document([resource], all_parameters)
}

gpu_group(scaling, others) := fixtures.resource(
	"aws:eks/nodeGroup:NodeGroup",
	object.union({"instanceTypes": ["p5.48xlarge"], "scalingConfig": scaling}, others),
)

idle := gpu_group({"minSize": 0, "desiredSize": 0}, {})

busy := gpu_group({"minSize": 2, "desiredSize": 2}, {})

passed(resource, found) := {
	"urn": resource.urn,
	"outcome": "pass",
	"property": "",
	"message": "",
	"expected": expected,
	"found": found,
} if {
	expected := {true: "", false: "0"}[found == ""]
}

failed := {
	"urn": busy.urn,
	"outcome": "fail",
	"property": "scalingConfig.minSize",
	"message": "it (aws:eks/nodeGroup:NodeGroup) keeps accelerated nodes running when nobody uses them",
	"expected": "0",
	"found": "2",
}

test_pass_on_a_minimum_of_zero if verdicts(idle) == {passed(idle, "")}

test_fail_on_a_minimum_above_zero if verdicts(busy) == {failed}

test_fail_on_a_size_that_updates_restore if {
	resource := gpu_group({"minSize": 0, "desiredSize": 1}, {})
	verdicts(resource) == {object.union(failed, {
		"property": "scalingConfig.desiredSize",
		"message": concat("", [failed.message, "; updates would set it back to this size, unless they ignore changes of it"]),
		"found": "1",
	})}
}

test_pass_on_a_size_that_updates_ignore if {
	resource := object.union(
		gpu_group({"minSize": 0, "desiredSize": 1}, {}),
		{"ignoreChanges": ["scalingConfig.desiredSize"]},
	)
	verdicts(resource) == {passed(resource, "")}
}

test_fail_on_an_accelerated_system_pool if {
	pool := fixtures.resource("azure-native:containerservice:AgentPool", {
		"mode": "System",
		"vmSize": "Standard_NC4as_T4_v3",
		"count": 1,
	})
	verdicts(pool) == {{
		"urn": pool.urn,
		"outcome": "fail",
		"property": "count",
		"message": concat(" ", [
			"it (azure-native:containerservice:AgentPool) keeps accelerated nodes running when nobody uses them;",
			"a system pool needs a node, so accelerators belong in a user pool",
		]),
		"expected": "0",
		"found": "1",
	}}
}

test_says_nothing_of_pools_without_accelerators if {
	verdicts(fixtures.resource("aws:eks/nodeGroup:NodeGroup", {
		"instanceTypes": ["m7i.large"],
		"scalingConfig": {"minSize": 2},
	})) == set()
}

test_unknown_on_a_minimum_nobody_knows_yet if {
	resource := gpu_group({"minSize": fixtures.unknown, "desiredSize": 0}, {})
	verdicts(resource) == {{
		"urn": resource.urn,
		"outcome": "unknown",
		"property": "scalingConfig.minSize",
		"message": "the minimum of it (aws:eks/nodeGroup:NodeGroup) is not known yet",
		"expected": "0",
		"found": "not known yet",
	}}
}

test_unknown_on_nodes_that_may_carry_accelerators if {
	resource := fixtures.resource("aws:autoscaling/group:Group", {"minSize": 1})
	verdicts(resource) == {{
		"urn": resource.urn,
		"outcome": "unknown",
		"property": "minSize",
		"message": concat(" ", [
			"it (aws:autoscaling/group:Group) keeps nodes running,",
			"and it is not known whether they carry accelerators",
		]),
		"expected": "0, if they do",
		"found": "1",
	}}
}

test_unknown_on_nodes_that_may_consume_a_reservation if {
	resource := gpu_group({"minSize": 2}, {"launchTemplate": {"id": fixtures.unknown}})
	target := {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
	template := fixtures.resource("aws:ec2/launchTemplate:LaunchTemplate", {"capacityReservationSpecification": target})
	document := object.union(fixtures.document([resource], {"TG-SCL-001": defaults}), {"context": [template]})
	found := rule.verdicts with input as document
	found == {{
		"urn": resource.urn,
		"outcome": "unknown",
		"property": "scalingConfig.minSize",
		"message": concat(" ", [
			"it (aws:eks/nodeGroup:NodeGroup) keeps accelerated nodes running,",
			"and it is not known yet whether they consume a reservation",
		]),
		"expected": "0, if they do not",
		"found": "2",
	}}
}

test_pass_below_a_reservation if {
	resource := gpu_group({"minSize": 2}, {"capacityType": "CAPACITY_BLOCK"})
	verdicts(resource) == {passed(resource, "consumes a reservation, which is paid for anyway")}
}

test_only_what_lies_above_a_reservation_fails if {
	reservation := fixtures.resource("gcp:compute/reservation:Reservation", {
		"name": "serve",
		"specificReservation": {"count": 2},
	})
	affinity := {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["serve"]}
	expected := {2: "pass", 3: "fail"}
	every nodes, outcome in expected {
		pool := fixtures.resource("gcp:container/nodePool:NodePool", {
			"autoscaling": {"totalMinNodeCount": nodes},
			"nodeConfig": {"machineType": "g2-standard-48", "reservationAffinity": affinity},
		})
		document := object.union(
			fixtures.document([pool, reservation], {"TG-SCL-001": defaults}),
			{"complete": true},
		)
		found := rule.verdicts with input as document
		[each.outcome | some each in found] == [outcome]
	}
}

test_fail_above_a_reservation_says_by_how_much if {
	reservation := fixtures.resource("gcp:compute/reservation:Reservation", {
		"name": "serve",
		"specificReservation": {"count": 2},
	})
	affinity := {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["serve"]}
	pool := fixtures.resource("gcp:container/nodePool:NodePool", {
		"autoscaling": {"totalMinNodeCount": 3},
		"nodeConfig": {"machineType": "g2-standard-48", "reservationAffinity": affinity},
	})
	document := object.union(
		fixtures.document([pool, reservation], {"TG-SCL-001": defaults}),
		{"complete": true},
	)
	found := rule.verdicts with input as document
	found == {{
		"urn": pool.urn,
		"outcome": "fail",
		"property": "autoscaling.totalMinNodeCount",
		"message": concat(" ", [
			"it (gcp:container/nodePool:NodePool) keeps more accelerated nodes running",
			"than its reservation pays for",
		]),
		"expected": "at most 2",
		"found": "3",
	}}
}

test_pass_below_a_commitment_that_the_pool_names if {
	resource := gpu_group({"minSize": 2}, {"labels": {"tidegate.dev/commitment": "h100-2026"}})
	verdicts(resource) == {passed(resource, "consumes the commitment h100-2026")}
}

test_pass_with_a_service_level_and_an_owner if {
	resource := gpu_group({"minSize": 2}, {"labels": {"service-level": "chat-p99"}})
	verdicts(resource) == {passed(resource, "serves chat-p99, owned by ml-platform")}
}

test_fail_with_a_service_level_that_nobody_owns if {
	resource := object.union(
		gpu_group({"minSize": 2}, {"labels": {"service-level": "chat-p99"}}),
		{"labelSites": [fixtures.site_of({"owner": ""})]},
	)
	verdicts(resource) == {failed}
}

exception(pool) := {"exceptions": [{"pool": pool, "serviceLevel": "chat-p99", "owner": "serving"}]}

test_pass_with_an_exception_by_name_urn_and_pool_id if {
	resource := object.union(busy, {"labelSites": [fixtures.site_of({"capacity-pool": "serve-h100"})]})
	every pool in ["it", resource.urn, "serve-h100", "serve-*", "urn:pulumi:prod::*"] {
		verdicts_with(resource, exception(pool)) == {passed(resource, "serves chat-p99, owned by serving")}
	}
}

test_fail_with_an_exception_that_names_only_a_part if {
	every pool in ["i", "t", "serve", ""] {
		verdicts_with(busy, exception(pool)) == {failed}
	}
}
