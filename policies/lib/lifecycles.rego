# METADATA
# title: Lifecycles of buckets
# description: >-
#   What ends or moves a bucket's objects, wherever it is written: on the bucket itself, or in a
#   resource of its own, which is only found when the whole stack is at hand.
package tidegate.lib.lifecycles

import data.tidegate.lib.declared
import data.tidegate.lib.others

# The lifecycle of a bucket: {state, actions}. `state` is "known", "hidden" (more may be there than
# can be seen) or "later" (what may hold it is not at hand yet). Undefined for other resources.
of(bucket) := {"state": state, "actions": actions} if {
	own := bucket.facts.bucket
	parts := array.concat([own], _parts(bucket, "lifecycle"))
	actions := [action | some part in parts; some action in part.actions]
	state := _state(own, parts)
}

_state(_, parts) := "hidden" if {
	some part in parts
	part.open
} else := "later" if {
	not input.complete
} else := "known"

# Whether a bucket keeps old versions: "yes", "no" or "unknown".
versioned(bucket) := "yes" if {
	some switch in _switches(bucket)
	switch.value == true
} else := "unknown" if {
	some switch in _switches(bucket)
	switch.state == "hidden"
} else := "no"

_switches(bucket) := array.concat([bucket.facts.bucket.versioned], [part.enabled | some part in _parts(bucket, "versioning")])

# What the resources say that refer to a bucket.
_parts(bucket, name) := [part |
	some resource in _referring[name]
	part := resource.facts[name]
	_refers_to(resource, part, bucket)
]

# One object, which OPA makes once.
_referring := {name: resources |
	some name in ["lifecycle", "versioning"]
	resources := [resource | some resource in others.resources; resource.facts[name]]
}

_refers_to(resource, part, bucket) if bucket.urn in resource.dependencies[part.by]

_refers_to(_, part, bucket) if {
	some key in ["id", "name"]
	part.bucket.value == bucket.identifiers[key]
}

_refers_to(_, part, bucket) if {
	some key in ["bucket", "name", "accountName"]
	part.bucket.value == bucket.properties[key]
}

# What a bucket holds, by its label or by a word of its name that is one of `classes`.
class(bucket, classes) := found if {
	found := declared.label(bucket, "data-class")
} else := entry.storageClass if {
	some entry in input.manifest.buckets
	entry.id == bucket.name
} else := sort([each |
	some each in classes
	regex.match(sprintf(`(^|[^a-z0-9])%s([^a-z0-9]|$)`, [each]), lower(bucket.name))
])[0]
