# METADATA
# title: Telemetry retention
# description: >-
#   Logs are kept long enough to explain a failed job, and no longer than their class is worth in
#   their environment. What is kept for ever is never within a ceiling.
# custom:
#   id: TG-TEL-001
#   severity: medium
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set a retention between the floor and the ceiling, or say by the label telemetry-class what
#     the stream holds.
#   docs: policies/rules/telemetry/log_retention/README.md
#   parameters:
#     floors:
#       type: object
#       description: Class → environment (or default) → fewest days that are kept.
#       additionalProperties: {type: object, required: [default], additionalProperties: {type: integer, minimum: 1}}
#       default:
#         run-logs: {default: 14}
#         serving-logs: {default: 7}
#         platform-logs: {default: 7}
#         audit-logs: {default: 90}
#         debug-logs: {default: 1}
#     ceilings:
#       type: object
#       description: Class → environment (or default) → most days that are kept.
#       additionalProperties: {type: object, required: [default], additionalProperties: {type: integer, minimum: 1}}
#       default:
#         run-logs: {default: 30, prod: 90}
#         serving-logs: {default: 30}
#         platform-logs: {default: 30, prod: 60}
#         audit-logs: {default: 400, prod: 731}
#         debug-logs: {default: 7}
#     classKey:
#       type: string
#       description: The label by which a stream says what it holds.
#       minLength: 1
#       default: telemetry-class
#     defaultClass:
#       type: string
#       description: The class of a stream that neither a label nor its name tells.
#       minLength: 1
#       default: platform-logs
package tidegate.rules.telemetry.log_retention

import data.tidegate.lib.labels
import data.tidegate.lib.shared
import data.tidegate.lib.streams
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-TEL-001"]

verdicts contains verdict if {
	some resource in input.resources
	retention := streams.retention(resource)
	verdict := _judge(resource, retention)
}

_judge(resource, retention) := say.not_applicable(resource, {"message": retention.why}) if {
	retention.state == "fixed"
} else := say.unknown(resource, {
	"property": retention.property,
	"message": sprintf("%s holds %s, for which the parameters set no floor or no ceiling", [
		say.subject(resource), _class(resource),
	]),
	"expected": "a class that has both",
	"found": _class(resource),
}) if {
	not _has_limits(resource)
} else := say.unknown(resource, {
	"property": retention.property,
	"message": sprintf("how long %s keeps its logs is not known yet", [say.subject(resource)]),
	"expected": _expected(resource),
	"found": "not known yet",
}) if {
	retention.state == "hidden"
} else := say.fail(resource, {
	"property": retention.property,
	"message": sprintf("%s keeps %s for ever", [say.subject(resource), _class(resource)]),
	"expected": _expected(resource),
	"found": retention.why,
}) if {
	retention.state == "for ever"
} else := say.fail(resource, {
	"property": retention.property,
	"message": sprintf(
		"%s drops %s after %v days, before a failed job is looked into",
		[say.subject(resource), _class(resource), retention.days],
	),
	"expected": _expected(resource),
	"found": _found(retention),
}) if {
	retention.days < _floor(resource)
} else := say.fail(resource, {
	"property": retention.property,
	"message": sprintf(
		"%s keeps %s for %v days, longer than they are worth",
		[say.subject(resource), _class(resource), retention.days],
	),
	"expected": _expected(resource),
	"found": _found(retention),
}) if {
	retention.days > _ceiling(resource, retention)
} else := say.pass(resource, {"property": retention.property})

_has_limits(resource) if {
	_floor(resource)
	_limit(_parameters.ceilings, resource)
}

_floor(resource) := _limit(_parameters.floors, resource)

# Nobody can ask for less than the cloud keeps at least.
_ceiling(resource, retention) := max([_limit(_parameters.ceilings, resource), retention.least])

_limit(limits, resource) := by_environment[_environment(resource)] if {
	by_environment := limits[_class(resource)]
} else := limits[_class(resource)]["default"]

# By its label, else by a class in its name, else by default. A name tells the class where the
# class stands in it as a whole word.
_class(resource) := class if {
	class := labels.value_of(resource, {labels.folded(_parameters.classKey)})
} else := named[0] if {
	named := sort([class |
		some class in _classes
		some name in _names(resource)
		regex.match(sprintf(`(^|[^a-z0-9])%s([^a-z0-9]|$)`, [_spaced(class)]), lower(name))
	])
	named != []
} else := _parameters.defaultClass

_classes := object.keys(_parameters.floors)

_spaced(class) := replace(class, "-", "[-_]?")

_names(resource) := [name |
	some name in array.concat(
		[resource.name],
		[resource.properties[key] | some key in ["name", "bucketId", "workspaceName", "tableName"]],
	)
	is_string(name)
]

# By its label, else by the stack's.
_environment(resource) := lower(environment) if {
	environment := labels.value_of(resource, labels.estate_spellings("environment"))
} else := lower(input.stack.environment)

_expected(resource) := sprintf("%v to %v days for %s in %s", [
	_floor(resource),
	_limit(_parameters.ceilings, resource),
	_class(resource),
	_environment_name(_environment(resource)),
])

_environment_name("") := "any environment"

_environment_name(environment) := environment if environment != ""

_found(retention) := retention.why if {
	retention.why != ""
} else := sprintf("%v days", [retention.days])
