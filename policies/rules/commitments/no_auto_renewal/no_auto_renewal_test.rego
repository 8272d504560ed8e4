package tidegate.rules.commitments.no_auto_renewal_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.commitments.no_auto_renewal as rule

verdicts(resource, approved) := found if {
	found := rule.verdicts with input as fixtures.document([resource], {"TG-CMT-004": {"approved": approved}})
}

commitment(renews) := fixtures.with_facts(
	fixtures.resource("gcp:compute/regionCommitment:RegionCommitment", {}),
	{"commitment": {"kind": "purchase", "renews": renews}},
)

renewing := commitment(fixtures.fact(true, "autoRenew"))

test_pass_where_it_ends if {
	every renews in [fixtures.fact(false, "autoRenew"), fixtures.absent_fact("autoRenew")] {
		verdicts(commitment(renews), []) == {fixtures.verdict(renewing, "pass", {"property": "autoRenew"})}
	}
}

test_fail_where_it_renews_itself if {
	verdicts(renewing, [{"commitment": "other", "owner": "a"}]) == {fixtures.verdict(renewing, "fail", {
		"property": "autoRenew",
		"message": "it (gcp:compute/regionCommitment:RegionCommitment) renews itself for another term",
		"expected": "false",
		"found": "true",
	})}
}

test_pass_with_an_approval if {
	verdicts(renewing, [{"commitment": "it", "owner": "finance"}]) == {fixtures.verdict(renewing, "pass", {
		"property": "autoRenew",
		"found": "approved by finance",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	resource := commitment(fixtures.hidden_fact("autoRenew"))
	verdicts(resource, []) == {fixtures.verdict(resource, "unknown", {
		"property": "autoRenew",
		"message": "whether it (gcp:compute/regionCommitment:RegionCommitment) renews itself is not known yet",
		"expected": "false",
		"found": "not known yet",
	})}
}
