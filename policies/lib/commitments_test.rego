package tidegate.lib.commitments_test

import data.tidegate.lib.commitments
import data.tidegate.lib.fixtures

named(resource, name) := object.union(resource, {"urn": sprintf("urn:%s", [name]), "name": name})

needing(resource, property, urns) := object.union(resource, {"dependencies": {property: urns}})

nodes(pool, others) := found if {
	document := object.union(fixtures.document(array.concat([pool], others), {}), {"complete": true})
	found := commitments.nodes(pool) with input as document
}

gke_reservation := named(
	fixtures.resource("gcp:compute/reservation:Reservation", {"name": "serve", "specificReservation": {"count": 2}}),
	"reservation",
)

gke_pool(values) := fixtures.resource(
	"gcp:container/nodePool:NodePool",
	{"nodeConfig": {"reservationAffinity": {"values": values}}},
)

test_a_google_reservation_is_found_by_dependency_and_by_name if {
	nodes(needing(gke_pool([fixtures.unknown]), "nodeConfig", ["urn:reservation"]), [gke_reservation]) == 2
	nodes(gke_pool(["serve"]), [gke_reservation]) == 2
	created := object.union(gke_reservation, {"properties": {"specificReservation": {"count": 2}}, "identifiers": {"name": "serve"}})
	nodes(gke_pool(["serve"]), [created]) == 2
	nodes(gke_pool(["other"]), [gke_reservation]) == null
}

aks_reservation(name, capacity) := needing(
	named(fixtures.resource("azure-native:compute:CapacityReservation", {"sku": {"capacity": capacity}}), name),
	"capacityReservationGroupName",
	["urn:group"],
)

test_the_reservations_of_an_azure_group_add_up if {
	pool := needing(
		fixtures.resource("azure-native:containerservice:AgentPool", {}),
		"capacityReservationGroupID",
		["urn:group"],
	)
	nodes(pool, [aks_reservation("a", 2), aks_reservation("b", 3)]) == 5
	nodes(pool, []) == null
}

test_what_one_reservation_holds_back_nobody_can_tell if {
	pool := needing(
		fixtures.resource("azure-native:containerservice:AgentPool", {}),
		"capacityReservationGroupID",
		["urn:group"],
	)
	nodes(pool, [aks_reservation("a", 2), aks_reservation("b", fixtures.unknown)]) == null
}

aws_reservation := object.union(
	named(fixtures.resource("aws:ec2/capacityReservation:CapacityReservation", {"instanceCount": 4}), "reservation"),
	{"identifiers": {"id": "cr-1"}},
)

template(reservation) := named(
	fixtures.resource(
		"aws:ec2/launchTemplate:LaunchTemplate",
		{"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": reservation}}},
	),
	"template",
)

node_group := needing(fixtures.resource("aws:eks/nodeGroup:NodeGroup", {}), "launchTemplate", ["urn:template"])

test_an_aws_reservation_is_found_through_the_launch_template if {
	by_id := template("cr-1")
	by_dependency := needing(
		template(fixtures.unknown),
		"capacityReservationSpecification",
		["urn:reservation"],
	)
	nodes(node_group, [by_id, aws_reservation]) == 4
	nodes(node_group, [by_dependency, aws_reservation]) == 4
	nodes(node_group, [template("cr-2"), aws_reservation]) == null
}

test_nothing_is_counted_before_all_resources_are_at_hand if {
	found := commitments.nodes(gke_pool(["serve"])) with input as fixtures.document([gke_reservation], {})
	found == null
}
