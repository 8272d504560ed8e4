# METADATA
# title: Accelerators
# description: >-
#   Whether machines carry an accelerator, told from the clouds' own naming of families and from
#   what the pool itself declares. AWS's families are those with accelerators in
#   DescribeInstanceTypes (as recorded in moto 5.2.5, read on 2026-11-30); Google's
#   accelerator-optimised and TPU series and Azure's N series are general vendor documentation,
#   not verified, and hold for every machine type of the catalog.
package tidegate.lib.accelerators

import data.tidegate.lib.values

_families := {
	"aws": `^(p|gr?|trn|inf|dl|vt|f)[0-9]`,
	"gcp": `^(a[2-9]|g[2-9]|ct[0-9]|tpu)`,
	"azure": `^standard_n`,
}

# Device plug-ins' resource names: as a label, taint or tag they say that a node carries a device.
_devices := `(nvidia\.com/|amd\.com/gpu|aws\.amazon\.com/neuron|k8s\.amazonaws\.com/accelerator|google\.com/tpu|cloud\.google\.com/gke-accelerator)`

# "yes", "no" or "unknown" for machine types of one cloud. No type at all is unknown.
of_types(cloud, types) := "yes" if {
	some type in types
	is_string(type)
	regex.match(_families[cloud], lower(type))
} else := "no" if {
	count(types) > 0
	every type in types {
		is_string(type)
	}
} else := "unknown"

# "yes" when one of these keys names a device; "no" says nothing.
of_keys(keys) := "yes" if {
	some key in keys
	is_string(key)
	regex.match(_devices, key)
} else := "no"

# Several answers for one pool: one "yes" decides, then one doubt.
any_of(answers) := "yes" if {
	"yes" in answers
} else := "unknown" if {
	"unknown" in answers
} else := "no"

# The keys of a map, or nothing where it is hidden or absent.
keys_at(properties, path) := keys if {
	found := values.read(properties, path)
	found.state == "known"
	is_object(found.value)
	keys := object.keys(found.value)
} else := set()

# The member `name` of each element of a list, or nothing where it is hidden or absent.
members_at(properties, path, name) := members if {
	found := values.read(properties, path)
	found.state == "known"
	members := {element[name] | some element in found.value}
} else := set()
