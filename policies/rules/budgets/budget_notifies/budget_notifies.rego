# METADATA
# title: Budgets tell somebody
# description: >-
#   A budget that tells nobody changes nothing.
# custom:
#   id: TG-BGT-002
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Add a notification with somebody to tell.
#   docs: policies/rules/budgets/budget_notifies/README.md
package tidegate.rules.budgets.budget_notifies

import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	some resource in input.resources
	notifies := resource.facts.budget.notifies
	verdict := _judge(resource, notifies)
}

_judge(resource, "yes") := say.pass(resource, {})

_judge(resource, "no") := say.fail(resource, {
	"message": sprintf("%s tells nobody", [say.subject(resource)]),
	"expected": "a notification",
	"found": "none",
})

_judge(resource, "unknown") := say.unknown(resource, {
	"message": sprintf("whom %s tells is not known yet", [say.subject(resource)]),
	"expected": "a notification",
	"found": "not known yet",
})
