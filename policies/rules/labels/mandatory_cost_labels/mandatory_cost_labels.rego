# METADATA
# title: Mandatory cost labels
# description: >-
#   Everything that costs money carries the required cost labels wherever its cloud puts them on
#   the bill: on the resource, and on the instances, volumes, network interfaces and nodes that
#   it starts.
# custom:
#   id: TG-LBL-001
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Add the missing keys where the message says, or to the provider's default labels where they
#     reach; give every key one spelling.
#   docs: policies/rules/labels/mandatory_cost_labels/README.md
#   parameters:
#     requiredKeys:
#       type: array
#       description: The keys that must be there, as this estate spells them.
#       items: {type: string, minLength: 1}
#       default: [environment, owner, business-unit, platform-project, workload-class, cost-center]
#     aliases:
#       type: object
#       description: More spellings that count as a key (spelling → key), letter case ignored.
#       additionalProperties: {type: string, minLength: 1}
#       default: {}
package tidegate.rules.labels.mandatory_cost_labels

import data.tidegate.lib.labels
import data.tidegate.lib.shared
import data.tidegate.lib.values
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-LBL-001"]

_aliases := object.union(
	shared.labelAliases,
	{labels.folded(spelling): labels.folded(key) | some spelling, key in _parameters.aliases},
)

_spellings[key] := labels.spellings(key, _aliases) if some key in _parameters.requiredKeys

# Spelling → the required keys that it counts as.
_keys_of[spelling] contains key if {
	some key, accepted in _spellings
	some spelling in accepted
}

verdicts contains verdict if some verdict in _faults

verdicts contains verdict if some verdict in _doubts

verdicts contains say.pass(resource, {"message": _casing_remark(resource)}) if {
	some resource in input.resources
	is_array(resource.labelSites)
	resource.labelSites != []
	not resource.urn in _not_passing
}

verdicts contains say.not_applicable(resource, {"message": message}) if {
	some resource in input.resources
	resource.labelSites == []
	message := sprintf("%s takes no cost labels", [resource.type])
}

_not_passing contains verdict.urn if some verdict in _faults

_not_passing contains verdict.urn if some verdict in _doubts

# What is missing, although nothing is unknown that could still bring it.
_faults contains verdict if {
	some [resource, site] in _sites
	missing := _keys_in_state(site, "missing")
	missing != []
	verdict := say.fail(resource, {
		"property": site.property,
		"message": sprintf("%s lacks cost labels%s: %s", [
			say.subject(resource), _on(site), concat(", ", missing),
		]),
		"expected": concat(", ", _parameters.requiredKeys),
		"found": _render_labels(site),
	})
}

# Without a launch template nothing labels what a node group starts.
_faults contains verdict if {
	some resource in input.resources
	some site in resource.labelSites
	site.elsewhere == "absent"
	verdict := say.fail(resource, {
		"property": site.property,
		"message": sprintf(
			"%s has no launch template, so that no cost labels reach its instances, volumes and network interfaces",
			[say.subject(resource)],
		),
		"expected": "a launch template with tag specifications for instance, volume and network-interface",
		"found": "none",
	})
}

# Two spellings of one key that disagree: the bill shows two owners.
_faults contains verdict if {
	some [resource, site] in _sites
	some spelt, _ in site.labels
	not spelt in _parameters.requiredKeys # what is spelt as it is required agrees with itself
	some key in _keys_of[labels.folded(spelt)]
	entries := labels.entries(site, _spellings[key])
	texts := {value | some value in entries; is_string(value)}
	count(texts) > 1
	verdict := say.fail(resource, {
		"property": site.property,
		"message": sprintf("%s spells the cost label %s in ways that disagree", [say.subject(resource), key]),
		"expected": sprintf("one label %s", [key]),
		"found": _render(entries),
	})
}

# Keys that differ in letter case alone, where the cloud takes them for one.
_faults contains verdict if {
	some [resource, site] in _sites
	some group in labels.collisions(resource.cloud, site)
	verdict := say.fail(resource, {
		"property": site.property,
		"message": sprintf(
			"%s has tags that differ in letter case alone, which Azure takes for one",
			[say.subject(resource)],
		),
		"expected": "one spelling",
		"found": concat(", ", sort(group)),
	})
}

_faults contains verdict if {
	some [resource, site] in _sites
	count(site.labels) > labels.limit[resource.cloud]
	verdict := say.fail(resource, {
		"property": site.property,
		"message": sprintf("%s has more labels than its cloud takes", [say.subject(resource)]),
		"expected": sprintf("at most %d", [labels.limit[resource.cloud]]),
		"found": sprintf("%d", [count(site.labels)]),
	})
}

_faults contains verdict if {
	some [resource, site] in _sites
	some key, value in site.labels
	expected := labels.grammar(resource.cloud, key, _text(value))
	verdict := say.fail(resource, {
		"property": sprintf("%s.%s", [site.property, key]),
		"message": sprintf("%s has a label that its cloud refuses: %s", [say.subject(resource), key]),
		"expected": expected,
		"found": values.render(value),
	})
}

_doubts contains verdict if {
	some [resource, site] in _sites
	unknown := _keys_in_state(site, "unknown")
	unknown != []
	verdict := say.unknown(resource, {
		"property": site.property,
		"message": sprintf("%s may lack cost labels%s: %s", [
			say.subject(resource), _on(site), concat(", ", unknown),
		]),
		"expected": concat(", ", _parameters.requiredKeys),
		"found": _render_labels(site),
	})
}

_doubts contains verdict if {
	some resource in input.resources
	resource.cloud != ""
	resource.labelSites == null
	verdict := say.unknown(resource, {
		"message": sprintf("it is not known whether %s takes cost labels", [resource.type]),
		"expected": "a type whose labels are known",
		"found": resource.type,
	})
}

# Judged only when all resources are at hand: the template may be one of them.
_doubts contains verdict if {
	input.complete
	some resource in input.resources
	some site in resource.labelSites
	site.elsewhere == "unresolved"
	verdict := say.unknown(resource, {
		"property": site.property,
		"message": sprintf(
			"%s starts instances from a launch template that is not declared in this stack",
			[say.subject(resource)],
		),
		"expected": "tag specifications for instance, volume and network-interface",
		"found": "a template that cannot be seen from here",
	})
}

# Every place where labels stand, with its resource.
_sites := [[resource, site] |
	some resource in input.resources
	some site in resource.labelSites
	site.elsewhere == ""
]

_keys_in_state(site, wanted) := [key |
	some key in _not_exact(site)
	labels.state(site, _spellings[key]) == wanted
]

# Nearly always none, and cheaper than looking at every spelling.
_not_exact(site) := [key |
	some key in _parameters.requiredKeys
	not _has_exactly(site, key)
]

_has_exactly(site, key) if labels.is_present(site.labels[key])

_on(site) := "" if {
	site.scope == "resource"
} else := sprintf(" on its %s", [site.scope])

_text(value) := value if is_string(value)

_text(value) := "" if values.is_hidden(value)

_render_labels(site) := "no labels" if {
	count(site.labels) == 0
} else := _render(site.labels)

_render(entries) := concat(", ", sort([sprintf("%s=%s", [key, values.render(value)]) | some key, value in entries]))

# A remark on keys whose letter case is not the estate's; "" when there is none.
_casing_remark(resource) := concat("; ", sort({remark |
	some site in resource.labelSites
	some required in _parameters.requiredKeys
	not site.labels[required]
	some key, _ in site.labels
	lower(key) == lower(required)
	remark := sprintf("%s spells %s as %s in %s", [say.subject(resource), required, key, site.property])
}))
