# METADATA
# title: No debug level in production
# description: >-
#   Programs in production log what somebody reads. Debug level multiplies the volume and is
#   switched on for an afternoon, not for a year.
# custom:
#   id: TG-TEL-004
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set the level to info or higher.
#   docs: policies/rules/telemetry/debug_level/README.md
#   parameters:
#     environments:
#       type: array
#       description: Environments that are production.
#       items: {type: string, minLength: 1}
#       default: [prod, production]
#     levels:
#       type: array
#       description: Levels that are too talkative, letter case ignored.
#       items: {type: string, minLength: 1}
#       default: [debug, trace, all, "10"]
package tidegate.rules.telemetry.debug_level

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-TEL-004"]

verdicts contains verdict if {
	some resource in input.resources
	some level in resource.facts.logLevels
	declared.environment(resource) in _parameters.environments
	verdict := _judge(resource, level)
}

_judge(resource, level) := say.fail(resource, {
	"property": level.property,
	"message": sprintf("%s logs at debug level in production", [say.subject(resource)]),
	"expected": "info or higher",
	"found": level.value,
}) if {
	lower(level.value) in _parameters.levels
} else := say.pass(resource, {"property": level.property}) if {
	level.state == "known"
} else := say.unknown(resource, {
	"property": level.property,
	"message": sprintf("at which level %s logs is not known yet", [say.subject(resource)]),
	"expected": "info or higher",
	"found": "not known yet",
})
