package tidegate.rules.commitments.commitment_end_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.commitments.commitment_end as rule

verdicts_with(resource, more) := found if {
	found := rule.verdicts with input as object.union(fixtures.whole([resource], {}), more)
}

verdicts(resource) := verdicts_with(resource, {})

ending(end) := fixtures.with_facts(
	fixtures.resource("azure-native:compute:CapacityReservation", {}),
	{"commitment": {"kind": "reservation", "end": end}},
)

endless := ending(fixtures.absent_fact("tags"))

on(day) := ending(fixtures.fact(day, "endDate"))

test_pass_with_a_day_to_come if {
	verdicts(on("2027-06-30T23:59:59Z")) == {fixtures.verdict(endless, "pass", {"property": "endDate", "found": "ends 2027-06-30"})}
}

test_pass_with_the_end_of_a_term if {
	verdicts(on("the end of its term")) == {fixtures.verdict(endless, "pass", {"property": "endDate"})}
}

test_pass_with_an_end_by_label_or_manifest if {
	passed := {fixtures.verdict(endless, "pass", {"property": "tags", "found": "ends 2027-06-30"})}
	verdicts(fixtures.labelled(endless, {"commitment-end": "2027-06-30"})) == passed
	verdicts_with(endless, {"manifest": {"commitments": [{"id": "it", "end": "2027-06-30"}]}}) == passed
}

test_fail_after_the_end if {
	verdicts(on("2026-06-30T23:59:59Z")) == {fixtures.verdict(endless, "fail", {
		"property": "endDate",
		"message": "it (azure-native:compute:CapacityReservation) has ended",
		"expected": "a day not before 2026-11-30",
		"found": "2026-06-30",
	})}
}

test_fail_without_an_end_once_the_whole_is_seen if {
	verdicts(endless) == {fixtures.verdict(endless, "fail", {
		"property": "tags",
		"message": "it (azure-native:compute:CapacityReservation) has no end",
		"expected": "a day",
		"found": "none",
	})}
	verdicts_with(endless, {"complete": false}) == set()
}

test_unknown_where_it_cannot_be_seen if {
	resource := ending(fixtures.hidden_fact("endDate"))
	verdicts(resource) == {fixtures.verdict(resource, "unknown", {
		"property": "endDate",
		"message": "when it (azure-native:compute:CapacityReservation) ends is not known yet",
		"expected": "a day",
		"found": "not known yet",
	})}
}

test_unknown_where_the_end_may_stand_in_a_manifest_that_is_not_shown if {
	verdicts_with(endless, {"manifestHidden": true}) == {fixtures.verdict(endless, "unknown", {
		"property": "tags",
		"message": "when it (azure-native:compute:CapacityReservation) ends is for the stack's manifest to say",
		"expected": "a day",
		"found": declared.not_shown,
	})}
}
