# METADATA
# title: What is declared of a resource
# description: >-
#   Labels by their canonical key, the environment, and what the stack's capacity manifest says of a
#   resource. The manifest is only at hand when the whole stack is.
package tidegate.lib.declared

import data.tidegate.lib.labels
import data.tidegate.lib.shared

# The value of a label on any carrier of a resource, Kubernetes' own labels among them; undefined
# where there is none.
label(resource, key) := value if {
	value := labels.value_of(resource, _accepted(key))
} else := sort([value |
	some spelt, value in resource.properties.metadata.labels
	is_string(spelt) # some programs write a list
	_plain(spelt) in _accepted(key)
	is_string(value)
])[0]

_accepted(key) := shared.labelSpellings[key]

_accepted(key) := [labels.folded(key)] if not shared.labelSpellings[key]

# Kubernetes labels may have a prefix.
_plain(key) := labels.folded(key) if {
	not contains(key, "/")
} else := labels.folded(split(key, "/")[1])

# The environment of a resource: its label's, else the stack's.
environment(resource) := lower(found) if {
	found := label(resource, "environment")
} else := lower(input.stack.environment)

# What a parameter by environment says; undefined where it says nothing.
limit(limits, resource) := limits[environment(resource)] if {
	limits[environment(resource)] != null
} else := limits["default"]

# What stands for the stack as a whole.
stack := resource if {
	resource := [each | some each in input.resources; each.type == "pulumi:pulumi:Stack"][0]
} else := {
	"urn": "",
	"name": input.stack.name,
	"type": "pulumi:pulumi:Stack",
	"labelSites": [],
	"properties": {},
}

# What the manifest says of the pool that a resource carries the label of.
pool(resource) := _pools[label(resource, "capacity-pool")]

# One object, which OPA makes once.
_pools := {entry.id: entry | some entry in input.manifest.pools}

# The same of an endpoint, whose entry has the resource's name or label.
endpoint(resource) := entry if {
	some entry in input.manifest.endpoints
	_is_entry_of(entry.id, resource)
}

_is_entry_of(id, resource) if id == resource.name

_is_entry_of(id, resource) if id == label(resource, "capacity-pool")

commitment(resource) := entry if {
	some entry in input.manifest.commitments
	entry.id == resource.name
}

# Work of which class a resource is for; undefined where nothing says it.
workload_class(resource) := label(resource, "workload-class")

# Why somebody answers for an exception: a service level and an owner on the resource, or in a
# parameter that lists both. Undefined where nobody does.
service_level(resource, exceptions) := sprintf("serves %s, owned by %s", [level, owner]) if {
	level := label(resource, "service-level")
	owner := label(resource, "owner")
} else := sprintf("serves %s, owned by %s", [entry.serviceLevel, entry.labels.owner]) if {
	entry := endpoint(resource)
	entry.serviceLevel != ""
} else := sprintf("serves %s, owned by %s", [exception.serviceLevel, exception.owner]) if {
	exception := [each | some each in exceptions; is_named(each.resource, resource)][0]
}

# Whether a pattern names a resource: by its name or URN, exactly or as a glob over the whole of it.
is_named(pattern, resource) if {
	some name in [resource.name, resource.urn]
	glob.match(pattern, null, name)
}
