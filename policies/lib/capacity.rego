# METADATA
# title: What machines may cost, and whether they may be interrupted
# description: Read from the facts of machine sets that Python prepares (docs/policies-input.md).
package tidegate.lib.capacity

import data.tidegate.lib.declared

_hours_a_month := 730

# USD an hour of a machine set at its largest; undefined where price or maximum is not known.
hourly(resource, machines) := most * to_number(machines.price.amount) if {
	machines.price.currency == "USD"
	most := _most(resource, machines)
}

# The stack's manifest says how far Tidegate grows a pool that its cloud does not scale.
_most(resource, machines) := machines.maximum.value if {
	is_number(machines.maximum.value)
} else := most if {
	most := declared.pool(resource).maxNodes
	is_number(most)
}

# The most USD an hour that parameters allow; undefined where they say nothing.
ceiling(parameters, resource) := min(ceilings) if {
	hourly_ceilings := [amount | amount := declared.limit(parameters.hourlyCeilings, resource)]
	monthly_ceilings := [amount |
		month := declared.limit(parameters.monthlyCeilings, resource)
		amount := month / _hours_a_month
	]
	ceilings := array.concat(hourly_ceilings, monthly_ceilings)
	ceilings != []
}

# "tolerant" or "intolerant": what a resource says of itself, else what its class tells; undefined
# where nothing tells.
tolerance(resource, tolerant_classes) := stated if {
	stated := stated_tolerance(resource)
} else := "tolerant" if {
	declared.workload_class(resource) in tolerant_classes
}

# What a resource, or the stack's manifest, says of its work.
stated_tolerance(resource) := stated if {
	stated := declared.label(resource, "interruption-tolerance")
} else := declared.pool(resource).interruptionTolerance
