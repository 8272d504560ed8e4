# METADATA
# title: Commitments
# description: >-
#   How many nodes the reservations that a pool consumes pay for. Told only when the whole stack is
#   at hand and declares them; what is bought elsewhere cannot be counted here.
package tidegate.lib.commitments

import data.tidegate.lib.others
import data.tidegate.lib.templates
import data.tidegate.lib.values

# Nodes that are paid for whether they run or not; null where nobody can tell.
nodes(resource) := sum(counts) if {
	input.complete
	reservations := [reservation | some reservation in _reservations; _consumes(resource, reservation)]
	reservations != []
	counts := [found.value |
		some reservation in reservations
		found := values.read_number(reservation.properties, _counts[reservation.type])
		found.state == "known"
	]
	count(counts) == count(reservations)
} else := null

_aws := "aws:ec2/capacityReservation:CapacityReservation"

_gcp := "gcp:compute/reservation:Reservation"

_azure := "azure-native:compute:CapacityReservation"

_counts := {
	_aws: ["instanceCount"],
	_gcp: ["specificReservation", "count"],
	_azure: ["sku", "capacity"],
}

_consumes(pool, reservation) if {
	reservation.type == _gcp
	reservation.urn in pool.dependencies.nodeConfig
}

_consumes(pool, reservation) if {
	reservation.type == _gcp
	some name in pool.properties.nodeConfig.reservationAffinity.values
	some known in [reservation.properties, reservation.identifiers]
	name == known.name
}

# An AKS pool names a group; what the group holds names it too.
_consumes(pool, reservation) if {
	reservation.type == _azure
	some urn in pool.dependencies.capacityReservationGroupID
	urn in reservation.dependencies.capacityReservationGroupName
}

_consumes(pool, reservation) if {
	reservation.type == _aws
	template := templates.of(pool)
	reservation.urn in template.dependencies.capacityReservationSpecification
}

_consumes(pool, reservation) if {
	reservation.type == _aws
	target := templates.of(pool).properties.capacityReservationSpecification.capacityReservationTarget
	target.capacityReservationId == reservation.identifiers.id
}

_reservations := [resource |
	some resource in others.resources
	_counts[resource.type]
]
