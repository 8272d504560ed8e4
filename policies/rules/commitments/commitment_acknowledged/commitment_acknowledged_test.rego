package tidegate.rules.commitments.commitment_acknowledged_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.commitments.commitment_acknowledged as rule

verdicts(resource, acknowledged) := found if {
	found := rule.verdicts with input as fixtures.document([resource], {"TG-CMT-001": {"acknowledged": acknowledged}})
}

reservation := fixtures.with_facts(
	fixtures.resource("aws:ec2/capacityReservation:CapacityReservation", {}),
	{"commitment": {"kind": "reservation"}},
)

passed(resource, reason) := {fixtures.verdict(resource, "pass", {"found": reason})}

test_fail_where_nobody_acknowledged_it if {
	verdicts(reservation, [{"commitment": "other", "owner": "a"}]) == {fixtures.verdict(reservation, "fail", {
		"property": "acknowledged-by",
		"message": concat(" ", [
			"it (aws:ec2/capacityReservation:CapacityReservation) is paid for whether it is used or not,",
			"and nobody has acknowledged it",
		]),
		"expected": "an acknowledgement",
		"found": "none",
	})}
}

test_pass_with_an_acknowledgement if {
	labelled := fixtures.labelled(reservation, {"acknowledged-by": "head-of-platform"})
	verdicts(labelled, []) == passed(labelled, "acknowledged by head-of-platform")
	verdicts(reservation, [{"commitment": "i?", "owner": "finance"}]) == passed(reservation, "acknowledged by finance")
	urn := "urn:pulumi:prod::vision::tidegate:index:CommittedCapacity$aws:ec2/capacityReservation:CapacityReservation::it"
	inside := object.union(reservation, {"urn": urn})
	verdicts(inside, []) == passed(inside, "acknowledged in its component")
}

test_says_nothing_of_other_resources if verdicts(fixtures.resource("aws:s3/bucket:Bucket", {}), []) == set()
