# METADATA
# title: Values that may be hidden
# description: >-
#   Unknowns and secrets stand in the input as `{"$unknown": true}` and `{"$secret": true}`. Rego
#   orders objects after numbers and reads a missing key as undefined, so a rule that looks at a
#   property by itself would take a hidden value for a large or an absent one.
package tidegate.lib.values

is_hidden(value) if value["$unknown"] == true

is_hidden(value) if value["$secret"] == true

# The property at `path`: {"state": "known" | "hidden" | "absent", "value": …}. A path that leads
# through a hidden value is hidden, not absent.
read(properties, path) := {"state": "hidden", "value": null} if {
	_is_hidden_along(properties, path)
} else := {"state": "absent", "value": null} if {
	object.get(properties, path, null) == null
} else := {"state": "known", "value": object.get(properties, path, null)}

# The same for a number, which some programs pass as text. What is no number is hidden: it is
# there, and nobody here can read it.
read_number(properties, path) := {"state": "known", "value": found.value} if {
	found := read(properties, path)
	is_number(found.value)
} else := {"state": "known", "value": to_number(found.value)} if {
	found := read(properties, path)
	is_string(found.value)
	regex.match(`^-?[0-9]{1,9}$`, found.value)
} else := {"state": "absent", "value": null} if {
	read(properties, path).state == "absent"
} else := {"state": "hidden", "value": null}

_is_hidden_along(properties, _) if is_hidden(properties)

_is_hidden_along(properties, _) if not is_object(properties)

_is_hidden_along(properties, path) if {
	some length in numbers.range(1, count(path))
	is_hidden(object.get(properties, array.slice(path, 0, length), null))
}

# The text for people of a value that was read.
render(value) := "not known yet" if {
	value["$unknown"] == true
} else := "[secret]" if {
	value["$secret"] == true
} else := sprintf("%v", [value])

dotted(path) := concat(".", path)
