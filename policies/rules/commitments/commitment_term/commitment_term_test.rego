package tidegate.rules.commitments.commitment_term_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.commitments.commitment_term as rule

verdicts(resource) := found if {
	parameters := {"TG-CMT-006": {"maxMonths": {"default": 0, "prod": 12}}}
	found := rule.verdicts with input as fixtures.document([resource], parameters)
}

bought(months) := fixtures.with_facts(
	fixtures.resource("gcp:compute/regionCommitment:RegionCommitment", {}),
	{"commitment": {"kind": "purchase", "months": months}},
)

year := bought(fixtures.fact(12, "plan"))

test_pass_within_the_limit if verdicts(year) == {fixtures.verdict(year, "pass", {"property": "plan"})}

test_fail_above_the_limit if {
	verdicts(bought(fixtures.fact(36, "plan"))) == {fixtures.verdict(year, "fail", {
		"property": "plan",
		"message": "it (gcp:compute/regionCommitment:RegionCommitment) is bought for longer than its environment allows",
		"expected": "at most 12 months",
		"found": "36 months",
	})}
}

test_fail_where_no_purchase_is_allowed if {
	every months in [fixtures.fact(12, "plan"), fixtures.hidden_fact("plan")] {
		resource := fixtures.labelled(bought(months), {"environment": "dev"})
		verdicts(resource) == {fixtures.verdict(resource, "fail", {
			"property": "plan",
			"message": "it (gcp:compute/regionCommitment:RegionCommitment) is a purchase, which dev may not make",
			"expected": "no purchase",
			"found": "a purchase",
		})}
	}
}

test_unknown_where_the_term_is_told_elsewhere if {
	verdicts(bought(fixtures.hidden_fact("plan"))) == {fixtures.verdict(year, "unknown", {
		"property": "plan",
		"message": "for how long it (gcp:compute/regionCommitment:RegionCommitment) is bought is not known here",
		"expected": "at most 12 months",
		"found": "an offering that names its term elsewhere",
	})}
}

test_says_nothing_of_reservations if {
	resource := fixtures.with_facts(fixtures.resource("gcp:compute/reservation:Reservation", {}), {"commitment": {"kind": "reservation"}})
	verdicts(resource) == set()
}
