# METADATA
# title: Commitments end
# description: >-
#   A commitment has an end that is known: a day, or the end of its term. What has none
#   runs, and costs, until somebody remembers it.
# custom:
#   id: TG-CMT-003
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Give it an end date, or where its cloud takes none, the label commitment-end.
#   docs: policies/rules/commitments/commitment_end/README.md
package tidegate.rules.commitments.commitment_end

import data.tidegate.lib.declared
import data.tidegate.lib.verdicts as say

verdicts contains verdict if {
	some resource in input.resources
	end := resource.facts.commitment.end
	verdict := _judge(resource, end)
}

_judge(resource, end) := say.fail(resource, {
	"property": end.property,
	"message": sprintf("%s has ended", [say.subject(resource)]),
	"expected": sprintf("a day not before %s", [input.date]),
	"found": _day(resource, end),
}) if {
	input.date != ""
	_day(resource, end) < input.date
} else := say.pass(resource, {"property": end.property, "found": sprintf("ends %s", [_day(resource, end)])}) if {
	_day(resource, end)
} else := say.pass(resource, {"property": end.property}) if {
	end.state == "known"
} else := say.unknown(resource, {
	"property": end.property,
	"message": sprintf("when %s ends is not known yet", [say.subject(resource)]),
	"expected": "a day",
	"found": "not known yet",
}) if {
	end.state == "hidden"
} else := say.fail(resource, {
	"property": end.property,
	"message": sprintf("%s has no end", [say.subject(resource)]),
	"expected": "a day",
	"found": "none",
}) if {
	input.complete # only the whole stack's manifest may know it
}

# The day of an end: its own, its label's or the manifest's.
_day(_, end) := day if {
	is_string(end.value)
	regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`, end.value)
	day := substring(end.value, 0, 10)
}

_day(resource, end) := day if {
	end.state == "absent"
	day := _stated(resource)
	regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, day)
}

_stated(resource) := day if {
	day := declared.label(resource, "commitment-end")
} else := day if {
	day := declared.commitment(resource).end
	is_string(day)
}
