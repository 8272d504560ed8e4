# METADATA
# title: Storage classes and their minimums
# description: >-
#   An object stays in a colder class for at least as long as the cloud bills for it.
# custom:
#   id: TG-STO-003
#   severity: low
#   level: advisory
#   scope: resource
#   remediation: >-
#     Move later, expire later, or leave that class out.
#   docs: policies/rules/storage/tier_minimums/README.md
package tidegate.rules.storage.tier_minimums

import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	some resource in input.resources
	actions := _own_actions(resource)
	moves := [action | some action in actions; action.action == "move"]
	moves != []
	verdict := _judge(resource, moves, actions)
}

_own_actions(resource) := resource.facts.bucket.actions

_own_actions(resource) := resource.facts.lifecycle.actions

_judge(resource, moves, actions) := say.fail(resource, {
	"property": fault.property,
	"message": sprintf("%s moves objects %s", [say.subject(resource), fault.what]),
	"expected": fault.expected,
	"found": fault.found,
}) if {
	fault := sort(_faults(resource, moves, actions))[0]
} else := say.pass(resource, {})

_faults(resource, moves, actions) := {fault |
	some move in moves
	facts := shared.storageClasses[resource.cloud][move.class]
	some fault in (_early(move, facts) | _short(move, facts, actions))
}

# Moved before the cloud lets it.
_early(move, facts) := {{
	"property": move.property,
	"what": sprintf("to %s before its cloud does", [move.class]),
	"expected": sprintf("at least %d days", [facts.earliestDays]),
	"found": sprintf("%d days", [move.days.value]),
} |
	move.days.state == "known"
	move.days.value < facts.earliestDays
}

# Moved on or deleted before what is billed has passed.
_short(move, facts, actions) := {{
	"property": next.property,
	"what": sprintf("out of %s while it is still billed", [move.class]),
	"expected": sprintf("at least %d days after %d", [facts.minimumDays, move.days.value]),
	"found": sprintf("%d days", [next.days.value]),
} |
	some next in actions
	next.of == move.of
	next.prefix == move.prefix
	next.action in {"move", "expire"}
	next.days.value > move.days.value
	next.days.value < move.days.value + facts.minimumDays
	_is_numeric(next.days, move.days)
}

_is_numeric(one, other) if {
	is_number(one.value)
	is_number(other.value)
}
