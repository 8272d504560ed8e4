# METADATA
# title: Scale-to-zero minimums
# description: >-
#   A pool of accelerated nodes can shrink to nothing when nobody works on it. A floor is allowed
#   below a commitment, which is paid for anyway, and where a service level has an owner.
# custom:
#   id: TG-SCL-001
#   severity: high
#   level: mandatory
#   scope: resource
#   remediation: >-
#     Set the minimum to 0 and let updates ignore the running size; or name the commitment that
#     the floor consumes; or declare the service level that needs the floor, and its owner.
#   docs: policies/rules/scaling/scale_to_zero/README.md
#   parameters:
#     exceptions:
#       type: array
#       description: >-
#         Pools that may keep a floor. `pool` is a pool's id (the label capacity-pool), its name
#         in the program or its URN, exactly or as a glob over the whole of it.
#       default: []
#       items:
#         type: object
#         additionalProperties: false
#         required: [pool, serviceLevel, owner]
#         properties:
#           pool: {type: string, minLength: 1}
#           serviceLevel: {type: string, minLength: 1}
#           owner: {type: string, minLength: 1}
#     serviceLevelKey:
#       type: string
#       description: The label by which a pool itself declares the service level of its floor.
#       minLength: 1
#       default: service-level
#     commitmentKey:
#       type: string
#       description: The label by which a pool names the commitment that its floor consumes.
#       minLength: 1
#       default: commitment
package tidegate.rules.scaling.scale_to_zero

import data.tidegate.lib.labels
import data.tidegate.lib.pools
import data.tidegate.lib.shared
import data.tidegate.lib.templates
import data.tidegate.lib.values
import data.tidegate.lib.verdicts as say

_parameters := shared.parameters["TG-SCL-001"]

verdicts contains verdict if {
	some resource in input.resources
	some pool in pools.of(resource)
	pool.accelerated != "no"
	verdict := _judge(resource, pool)
}

_judge(resource, pool) := say.pass(resource, {"property": pool.at}) if {
	not _has_floor(pool)
	not _may_have_floor(pool)
} else := say.pass(resource, {"property": pool.at, "expected": "0", "found": reason}) if {
	reason := _allowance(resource, pool)
} else := say.unknown(resource, {
	"property": _first(pool, "hidden").property,
	"message": sprintf("the minimum of %s is not known yet", [_subject(resource, pool)]),
	"expected": "0",
	"found": "not known yet",
}) if {
	not _has_floor(pool)
} else := say.unknown(resource, {
	"property": _first(pool, "known").property,
	"message": sprintf(
		"%s keeps nodes running, and it is not known whether they carry accelerators",
		[_subject(resource, pool)],
	),
	"expected": "0, if they do",
	"found": values.render(_first(pool, "known").value),
}) if {
	pool.accelerated == "unknown"
} else := say.unknown(resource, {
	"property": _first(pool, "known").property,
	"message": sprintf(
		"%s keeps accelerated nodes running, and it is not known yet whether they consume a reservation",
		[_subject(resource, pool)],
	),
	"expected": "0, if they do not",
	"found": values.render(_first(pool, "known").value),
}) if {
	templates.may_be_reserved(resource)
} else := say.fail(resource, {
	"property": _largest(pool).property,
	"message": sprintf(
		"%s keeps more accelerated nodes running than its reservation pays for",
		[_subject(resource, pool)],
	),
	"expected": sprintf("at most %v", [pool.committed]),
	"found": values.render(_largest(pool).value),
}) if {
	_exceeds_commitment(pool)
} else := say.fail(resource, {
	"property": _first(pool, "known").property,
	"message": sprintf(
		"%s keeps accelerated nodes running when nobody uses them%s",
		[_subject(resource, pool), _hint(pool)],
	),
	"expected": "0",
	"found": values.render(_first(pool, "known").value),
})

_has_floor(pool) if _first(pool, "known")

_may_have_floor(pool) if _first(pool, "hidden")

# The first property that keeps the pool above zero, or that may.
_first(pool, "known") := [floor |
	some floor in pool.floors
	floor.state == "known"
	floor.value > 0
][0]

_first(pool, "hidden") := [floor | some floor in pool.floors; floor.state == "hidden"][0]

_largest(pool) := [floor |
	some floor in pool.floors
	floor.state == "known"
	floor.value == max([each.value | some each in pool.floors; each.state == "known"])
][0]

# What lies above a commitment is not paid for anyway.
_exceeds_commitment(pool) if {
	pool.reserved
	pool.committed != null
	_largest(pool).value > pool.committed
}

# Why a floor is allowed; undefined when nothing allows it.
_allowance(_, pool) := "consumes a reservation, which is paid for anyway" if {
	pool.reserved
	not _exceeds_commitment(pool)
} else := sprintf("consumes the commitment %s", [commitment]) if {
	not _exceeds_commitment(pool)
	commitment := _mark(pool, _parameters.commitmentKey)
} else := sprintf("serves %s, owned by %s", [service_level, owner]) if {
	service_level := _mark(pool, _parameters.serviceLevelKey)
	owner := _mark(pool, "owner")
}

_allowance(resource, pool) := sprintf("serves %s, owned by %s", [exception.serviceLevel, exception.owner]) if {
	exception := [candidate |
		some candidate in _parameters.exceptions
		_names(candidate.pool, resource, pool)
	][0]
}

_names(pattern, resource, pool) if {
	some name in ({resource.urn, pool.name} | {id | id := _mark(pool, "capacity-pool")})
	glob.match(pattern, null, name)
}

# What a pool says of itself under a key, with or without a prefix as Kubernetes labels have it.
_mark(pool, wanted) := sort([value |
	some key, value in pool.marks
	_ends_with(labels.folded(key), labels.folded(wanted))
	is_string(value)
	value != ""
])[0]

_ends_with(key, wanted) if key == wanted

_ends_with(key, wanted) if endswith(key, concat("", ["/", wanted]))

_subject(resource, pool) := sprintf("%s (%s)", [pool.name, resource.type])

_hint(pool) := "; a system pool needs a node, so accelerators belong in a user pool" if {
	pool.system
} else := "; updates would set it back to this size, unless they ignore changes of it" if {
	_first(pool, "known").start
} else := ""
