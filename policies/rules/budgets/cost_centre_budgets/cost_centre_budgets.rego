# METADATA
# title: Every cost centre has a budget
# description: >-
#   Whoever pays is told before the month is over: a budget watches the spending of each
#   cost centre that a stack bills.
# custom:
#   id: TG-BGT-001
#   severity: medium
#   level: advisory
#   scope: stack
#   remediation: >-
#     Declare a budget that filters by the cost centre, or name the cost centre in the
#     rule's parameters if its budget stands elsewhere.
#   docs: policies/rules/budgets/cost_centre_budgets/README.md
#   parameters:
#     elsewhere:
#       type: array
#       description: Cost centres whose budgets other stacks declare, as globs over the whole value.
#       items: {type: string, minLength: 1}
#       default: []
package tidegate.rules.budgets.cost_centre_budgets

import data.tidegate.lib.declared
import data.tidegate.lib.labels
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-BGT-001"]

_spellings := labels.spellings("cost-center", shared.labelAliases)

# Cost centres of what a stack bills. A set of sets would take a quadratic time to fill.
_billed contains centre if {
	some resource in input.resources
	resource.cloud != ""
	centre := labels.value_of(resource, _spellings)
}

_watched contains centre if {
	some resource in input.resources
	some [key, values] in resource.facts.budget.labels
	labels.folded(key) in _spellings
	some centre in values
}

# A budget without a filter watches everything.
_watches_all if {
	some resource in input.resources
	resource.facts.budget.labels == []
	not resource.facts.budget.open
}

_may_be_watched if {
	some resource in input.resources
	resource.facts.budget.open
}

verdicts contains verdict if {
	input.complete
	some centre in _billed
	verdict := _judge(centre)
}

_judge(centre) := say.pass(declared.stack, {"found": centre}) if {
	_is_watched(centre)
} else := say.unknown(declared.stack, {
	"message": sprintf("whether a budget watches the cost centre %s is not known yet", [centre]),
	"expected": "a budget that filters by it",
	"found": "a budget whose filter cannot be seen",
}) if {
	_may_be_watched
} else := say.fail(declared.stack, {
	"message": sprintf("nobody is told what the cost centre %s spends", [centre]),
	"expected": "a budget that filters by it",
	"found": "none",
})

_is_watched(centre) if centre in _watched

_is_watched(_) if _watches_all

_is_watched(centre) if {
	some pattern in _parameters.elsewhere
	glob.match(pattern, null, centre)
}
