# METADATA
# title: Declared label keys
# description: >-
#   A bill is grouped by few, known labels. One that takes a new value for each run, commit
#   or user makes every one of them a line of the bill and runs into the clouds' limits.
# custom:
#   id: TG-LBL-003
#   severity: medium
#   level: advisory
#   scope: resource
#   remediation: >-
#     Keep parameters of runs in the tracker, or declare the key in the rule's parameters.
#   docs: policies/rules/labels/declared_label_keys/README.md
#   parameters:
#     allowedKeys:
#       type: array
#       description: More keys that may stand on the bill, as globs over the whole key, letter case ignored.
#       items: {type: string, minLength: 1}
#       default: [name, service-level, interruption-tolerance, commitment, commitment-end, acknowledged-by, telemetry-class, data-class, dataset, checkpoint-interval-seconds, expected-gib-per-month, "*/*", "aws:*", "goog-*", "hidden-*"]
package tidegate.rules.labels.declared_label_keys

import data.tidegate.lib.labels
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-LBL-003"]

verdicts contains verdict if {
	some resource in input.resources
	some site in resource.labelSites
	site.elsewhere == ""
	verdict := _judge(resource, site)
}

_judge(resource, site) := say.fail(resource, {
	"property": site.property,
	"message": sprintf("%s carries labels that nobody declared: %s", [
		say.subject(resource), concat(", ", undeclared),
	]),
	"expected": "the declared keys of cost labels",
	"found": concat(", ", undeclared),
}) if {
	undeclared := sort([key | some key, _ in site.labels; not key in _declared])
	undeclared != []
} else := say.pass(resource, {"property": site.property})

# Each key once, however many resources carry it.
_declared := {key |
	some key in {key | some resource in input.resources; some site in resource.labelSites; some key, _ in site.labels}
	_is_known(labels.canonical(key, shared.labelAliases))
}

_is_known(key) if key in shared.labelKeys

_is_known(key) if {
	some pattern in _parameters.allowedKeys
	glob.match(pattern, null, key)
}
