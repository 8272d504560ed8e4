package tidegate.rules.commitments.commitment_protected_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.commitments.commitment_protected as rule

verdicts(resource) := found if {
	found := rule.verdicts with input as fixtures.document([resource], {})
}

commitment := fixtures.with_facts(
	fixtures.resource("gcp:compute/regionCommitment:RegionCommitment", {}),
	{"commitment": {"kind": "purchase"}},
)

test_fail_without_protection if {
	verdicts(commitment) == {fixtures.verdict(commitment, "fail", {
		"property": "protect",
		"message": concat(" ", [
			"it (gcp:compute/regionCommitment:RegionCommitment) can be deleted by a change of the program,",
			"and bought again by the next",
		]),
		"expected": "true",
		"found": "false",
	})}
}

test_pass_with_protection if {
	resource := object.union(commitment, {"protect": true})
	verdicts(resource) == {fixtures.verdict(resource, "pass", {"property": "protect"})}
}

test_says_nothing_of_other_resources if verdicts(fixtures.resource("aws:s3/bucket:Bucket", {})) == set()
