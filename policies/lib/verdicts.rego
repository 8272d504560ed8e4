# METADATA
# title: Verdicts
# description: The one shape in which rules answer.
package tidegate.lib.verdicts

fail(resource, details) := _verdict(resource, "fail", details)

unknown(resource, details) := _verdict(resource, "unknown", details)

# A pass carries a message only where people should read a remark.
pass(resource, details) := _verdict(resource, "pass", details)

not_applicable(resource, details) := _verdict(resource, "not-applicable", details)

_verdict(resource, outcome, details) := object.union(
	{"urn": resource.urn, "outcome": outcome, "property": "", "message": "", "expected": "", "found": ""},
	details,
)

# How a resource is named in messages.
subject(resource) := sprintf("%s (%s)", [resource.name, resource.type])
