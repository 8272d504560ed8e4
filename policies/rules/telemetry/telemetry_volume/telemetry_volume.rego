# METADATA
# title: Telemetry budget of a stack
# description: >-
#   All streams of a stack together take in no more a month than its environment is worth;
#   each says how much it expects.
# custom:
#   id: TG-TEL-002
#   severity: medium
#   level: mandatory
#   scope: stack
#   remediation: >-
#     Sample or exclude what nobody reads, or raise the environment's budget.
#   docs: policies/rules/telemetry/telemetry_volume/README.md
#   parameters:
#     maxGibPerMonth:
#       type: object
#       description: Environment (or default) → GiB that all streams of a stack may take in a month.
#       required: [default]
#       additionalProperties: {type: number, minimum: 0}
#       default: {default: 500, prod: 5000}
package tidegate.rules.telemetry.telemetry_volume

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-TEL-002"]

# [stream, GiB a month or null]: what the manifest says, else the label expected-gib-per-month.
_volumes := [[resource, _volume(resource)] |
	some resource in input.resources
	resource.type in _streams
]

_streams := {
	"aws:cloudwatch/logGroup:LogGroup",
	"gcp:logging/projectBucketConfig:ProjectBucketConfig",
	"azure-native:operationalinsights:Workspace",
}

_volume(resource) := to_number(gib) if {
	some entry in input.manifest.telemetry
	entry.id == resource.name
	gib := entry.expectedGibPerMonth
	is_string(gib)
	regex.match(`^[0-9]{1,9}([.][0-9]{1,9})?$`, gib)
} else := to_number(text) if {
	text := declared.label(resource, "expected-gib-per-month")
	regex.match(`^[0-9]{1,9}$`, text)
} else := null

_total := sum([gib | some [_, gib] in _volumes; gib != null])

_silent := sort([resource.name | some [resource, gib] in _volumes; gib == null])

verdicts contains verdict if {
	input.complete
	_volumes != []
	verdict := _judge(declared.limit(_parameters.maxGibPerMonth, declared.stack))
}

_judge(limit) := say.fail(declared.stack, {
	"message": sprintf("the streams of %s take in more than its telemetry budget", [input.stack.name]),
	"expected": sprintf("at most %v GiB a month", [limit]),
	"found": sprintf("%v GiB a month", [_total]),
}) if {
	_total > limit
} else := say.unknown(declared.stack, {
	"message": sprintf("how much some streams of %s take in is not known", [input.stack.name]),
	"expected": sprintf("at most %v GiB a month", [limit]),
	"found": sprintf("%v GiB a month, and nothing said by %s", [_total, concat(", ", _silent)]),
}) if {
	_silent != []
} else := say.pass(declared.stack, {})
