# METADATA
# title: Floors
# description: >-
#   A property that keeps a pool above a size: {property, state, value, start}. A size that updates
#   ignore is only where a pool starts, and no floor; `start` marks one that they would restore.
package tidegate.lib.floors

import data.tidegate.lib.values

# The floor that the property at `path` of a pool is; `at` is where the pool stands in its resource.
floor(pool, at, path, default_value) := {
	"property": concat("", [at, values.dotted(path)]),
	"state": state,
	"value": value,
	"start": false,
} if {
	[state, value] := _or_default(values.read_number(pool, path), default_value)
}

# The same for a size that the engine restores at each update, unless it ignores changes of it.
start(resource, pool, at, path, default_value) := [] if {
	_ignores(resource, concat("", [at, values.dotted(path)]))
} else := [object.union(floor(pool, at, path, default_value), {"start": true})]

_or_default(found, default_value) := ["known", default_value] if {
	found.state == "absent"
	default_value != null
} else := [found.state, found.value]

# Property paths in `ignoreChanges` are spelt as the program's language spells them.
_ignores(resource, dotted) if {
	some entry in resource.ignoreChanges
	_covers(_plain(entry), _plain(dotted))
}

_covers("*", _)

_covers(entry, dotted) if startswith(concat("", [dotted, "."]), concat("", [entry, "."]))

_plain(path) := lower(replace(path, "_", ""))
