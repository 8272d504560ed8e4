package tidegate.rules.commitments.commitment_never_replaced_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.commitments.commitment_never_replaced as rule

verdicts(operation) := found if {
	resource := object.union(commitment, {"operation": operation})
	found := rule.verdicts with input as fixtures.document([resource], {})
}

commitment := fixtures.with_facts(
	fixtures.resource("aws:savingsplans/savingsPlan:SavingsPlan", {}),
	{"commitment": {"kind": "purchase"}},
)

failed(operation, what) := {fixtures.verdict(commitment, "fail", {
	"message": sprintf("it (aws:savingsplans/savingsPlan:SavingsPlan) would be %s, and is paid for all the same", [what]),
	"expected": "no replacement and no deletion",
	"found": operation,
})}

test_fail_on_a_replacement_and_a_deletion if {
	every operation in ["replace", "create-replacement", "delete-replaced"] {
		verdicts(operation) == failed(operation, "replaced")
	}
	verdicts("delete") == failed("delete", "deleted")
}

test_pass_on_other_operations if {
	every operation in ["create", "update", "same"] {
		verdicts(operation) == {fixtures.verdict(commitment, "pass", {})}
	}
}

test_says_nothing_where_the_operation_is_not_told if verdicts("") == set()
