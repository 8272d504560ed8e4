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

cloud_of := {"aws": "aws", "gcp": "gcp", "azure-native": "azure", "kubernetes": ""}

resource(type, properties) := {
	"urn": sprintf("urn:pulumi:prod::vision::%s::it", [type]),
	"type": type,
	"name": "it",
	"cloud": cloud_of[split(type, ":")[0]],
	"parent": "",
	"protect": false,
	"ignoreChanges": [],
	"properties": properties,
	"identifiers": {},
	"dependencies": {},
	"labelSites": [site],
}

document(resources, parameters) := {
	"stack": {"project": "vision", "name": "prod", "environment": "prod"},
	"complete": false,
	"parameters": parameters,
	"labelKeys": ["environment", "owner", "cost-center"],
	"labelAliases": {"costcentre": "cost-center", "cost center": "cost-center"},
	"context": [],
	"resources": resources,
}
