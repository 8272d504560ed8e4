# METADATA
# title: Scale-to-zero endpoints
# description: >-
#   A served model that nobody calls keeps no replica. A floor is allowed below a
#   commitment, which is paid for anyway, and where a service level has an owner.
# custom:
#   id: TG-SCL-002
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set the minimum to 0; or declare the service level that needs the floor and its owner;
#     or name the commitment that pays for it.
#   docs: policies/rules/scaling/endpoint_scale_to_zero/README.md
#   parameters:
#     exceptions:
#       type: array
#       description: >-
#         Resources that may stay as they are. `resource` is a name or URN, exactly or as a glob over the
#         whole of it.
#       default: []
#       items:
#         type: object
#         additionalProperties: false
#         required: [resource, serviceLevel, owner]
#         properties:
#           resource: {type: string, minLength: 1}
#           serviceLevel: {type: string, minLength: 1}
#           owner: {type: string, minLength: 1}
package tidegate.rules.scaling.endpoint_scale_to_zero

import data.tidegate.lib.declared
import data.tidegate.lib.shared
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SCL-002"]

# Judged when the whole stack is at hand, since only its manifest may name the service level.
verdicts contains verdict if {
	input.complete
	some resource in input.resources
	some machines in resource.facts.machines
	machines.kind == "endpoint"
	_serves_a_model(resource)
	verdict := _judge(resource, machines.minimum)
}

_judge(resource, minimum) := say.pass(resource, {"property": minimum.property}) if {
	minimum.value == 0
} else := say.pass(resource, {"property": minimum.property, "found": reason}) if {
	reason := _allowance(resource)
} else := say.fail(resource, {
	"property": minimum.property,
	"message": sprintf("%s keeps replicas running when nobody calls them", [say.subject(resource)]),
	"expected": "0",
	"found": sprintf("%v", [minimum.value]),
}) if {
	minimum.state == "known"
} else := say.unknown(resource, {
	"property": minimum.property,
	"message": sprintf("the fewest replicas of %s are not known", [say.subject(resource)]),
	"expected": "0",
	"found": minimum.state,
})

_models := `^(aws:sagemaker/|gcp:vertex/|azure-native:machinelearningservices:)`

_serves_a_model(resource) if regex.match(_models, resource.type)

_serves_a_model(resource) if resource.properties.serviceNamespace == "sagemaker"

_serves_a_model(resource) if declared.workload_class(resource) == "inference"

_allowance(resource) := reason if {
	reason := declared.service_level(resource, _parameters.exceptions)
} else := sprintf("consumes the commitment %s", [commitment]) if {
	commitment := declared.label(resource, "commitment")
} else := sprintf("consumes the commitment %s", [entry.commitment]) if {
	entry := declared.endpoint(resource)
	entry.commitment != ""
}
