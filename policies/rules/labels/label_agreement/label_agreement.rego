# METADATA
# title: Labels agree with what they start
# description: >-
#   Instances, volumes and network interfaces carry the same cost labels as what starts
#   them. Labels that differ send the bill of one pool to two teams.
# custom:
#   id: TG-LBL-004
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Give the resource and its tag specifications, or its launch template, the same labels.
#   docs: policies/rules/labels/label_agreement/README.md
#   parameters:
#     keys:
#       type: array
#       description: The keys whose values have to agree.
#       items: {type: string, minLength: 1}
#       default: [environment, owner, business-unit, platform-project, cost-center]
package tidegate.rules.labels.label_agreement

import data.tidegate.lib.labels
import data.tidegate.lib.others
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-LBL-004"]

_started := {"instances", "volumes", "network interfaces"}

_spellings := {key: labels.estate_spellings(key) | some key in _parameters.keys}

verdicts contains verdict if {
	some resource in input.resources
	_starts_machines(resource)
	some key in _parameters.keys
	own := _values_on(resource, key, {"resource"})
	count(own) == 1
	started := _values_on(resource, key, _started) | _on_template(resource, key)
	count(started) > 0
	verdict := _judge(resource, key, own, started)
}

# Most resources start nothing, and need no closer look.
_starts_machines(resource) if {
	some site in resource.labelSites
	site.scope in _started
}

_judge(resource, key, own, started) := say.pass(resource, {"property": key}) if {
	own == started
} else := say.fail(resource, {
	"property": key,
	"message": sprintf("%s starts machines whose %s is not its own", [say.subject(resource), key]),
	"expected": concat(", ", own),
	"found": concat(", ", sort(started)),
})

_values_on(resource, key, scopes) := {value |
	some site in resource.labelSites
	site.elsewhere == ""
	site.scope in scopes
	some value in labels.entries(site, _spellings[key])
	is_string(value)
}

# What a node group starts is labelled by its launch template.
_on_template(resource, key) := {value |
	some site in resource.labelSites
	some value in _values_on(_templates[site.elsewhere], key, _started)
}

# One object, which OPA makes once; looked up by key it would be made again for each.
_templates := {resource.urn: resource |
	some resource in others.resources
	resource.type == "aws:ec2/launchTemplate:LaunchTemplate"
}
