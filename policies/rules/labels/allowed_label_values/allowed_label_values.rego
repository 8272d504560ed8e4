# METADATA
# title: Allowed label values
# description: >-
#   Cost labels take their values from the estate's list, so that one team is one line of
#   the bill. A value matches a pattern as a whole or not at all.
# custom:
#   id: TG-LBL-002
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Use one of the allowed values, or add the new one to the rule's parameters.
#   docs: policies/rules/labels/allowed_label_values/README.md
#   parameters:
#     values:
#       type: object
#       description: Key → the values allowed, as regular expressions that match the whole value.
#       additionalProperties: {type: array, items: {type: string, minLength: 1}}
#       default:
#         workload-class: [training, inference, notebook, pipeline, platform]
package tidegate.rules.labels.allowed_label_values

import data.tidegate.lib.labels
import data.tidegate.lib.shared
import data.tidegate.lib.values
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-LBL-002"]

_keys_of[spelling] contains key if {
	some key, _ in _parameters.values
	some spelling in labels.estate_spellings(key)
}

verdicts contains verdict if {
	some resource in input.resources
	some site in resource.labelSites
	some spelt, value in site.labels
	some key in _keys_of[labels.folded(spelt)]
	verdict := _judge(resource, sprintf("%s.%s", [site.property, spelt]), key, value)
}

_judge(resource, property, key, value) := say.unknown(resource, {
	"property": property,
	"message": sprintf("the value of %s on %s cannot be seen", [key, say.subject(resource)]),
	"expected": _expected(key),
	"found": values.render(value),
}) if {
	values.is_hidden(value)
} else := say.pass(resource, {"property": property}) if {
	some pattern in _parameters.values[key]
	regex.match(sprintf(`^(?:%s)$`, [pattern]), value)
} else := say.fail(resource, {
	"property": property,
	"message": sprintf("%s has a value of %s that is not allowed", [say.subject(resource), key]),
	"expected": _expected(key),
	"found": value,
})

_expected(key) := sprintf("one of %s", [concat(", ", _parameters.values[key])])
