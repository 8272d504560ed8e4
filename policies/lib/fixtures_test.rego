# METADATA
# title: What tests of rules are made of
# description: A resource and a document that break no rule; each test breaks one thing.
package tidegate.lib.fixtures

cost_labels := {
	"environment": "prod",
	"owner": "ml-platform",
	"business-unit": "research",
	"platform-project": "vision",
	"workload-class": "training",
	"cost-center": "cc-100",
}

unknown := {"$unknown": true}

secret := {"$secret": true}

site := site_of(cost_labels)

site_of(labels) := {
	"scope": "resource",
	"property": "tags",
	"labels": labels,
	"open": false,
	"declared": true,
	"elsewhere": "",
}

cloud_of := {"aws": "aws", "gcp": "gcp", "azure-native": "azure", "kubernetes": "", "pulumi": ""}

resource(type, properties) := {
	"urn": sprintf("urn:pulumi:prod::vision::%s::it", [type]),
	"type": type,
	"name": "it",
	"cloud": cloud_of[split(type, ":")[0]],
	"parent": "",
	"protect": false,
	"ignoreChanges": [],
	"operation": "",
	"properties": properties,
	"facts": {},
	"identifiers": {},
	"dependencies": {},
	"labelSites": [site],
}

document(resources, parameters) := {
	"stack": {"project": "vision", "name": "prod", "environment": "prod"},
	"date": "2026-11-30",
	"complete": false,
	"manifest": null,
	"storageClasses": {"aws": {"STANDARD_IA": {"minimumDays": 30, "earliestDays": 30}}},
	"parameters": parameters,
	"labelKeys": ["environment", "owner", "cost-center"],
	"labelSpellings": {
		"environment": ["environment"],
		"owner": ["owner"],
		"cost-center": ["cost center", "cost-center", "costcentre"],
	},
	"labelAliases": {"costcentre": "cost-center", "cost center": "cost-center"},
	"context": [],
	"resources": resources,
}

# A resource with what Python reads of it; `machines` and other facts are by their names.
with_facts(resource, facts) := object.union(resource, {"facts": facts})

fact(value, property) := {"state": "known", "value": value, "property": property}

hidden_fact(property) := {"state": "hidden", "value": null, "property": property}

absent_fact(property) := {"state": "absent", "value": null, "property": property}

labelled(resource, labels) := object.union(resource, {"labelSites": [site_of(object.union(cost_labels, labels))]})

named(resource, name) := object.union(resource, {
	"name": name,
	"urn": sprintf("urn:pulumi:prod::vision::%s::%s", [resource.type, name]),
})

# The document when the whole stack is at hand.
whole(resources, parameters) := object.union(document(resources, parameters), {"complete": true})

# The same where the way into the check does not show what the stack exports.
unshown(resources, parameters) := object.union(whole(resources, parameters), {"manifestHidden": true})

# A verdict, whole.
verdict(resource, outcome, details) := object.union(
	{"urn": resource.urn, "outcome": outcome, "property": "", "message": "", "expected": "", "found": ""},
	details,
)
