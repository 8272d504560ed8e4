package tidegate.lib.values_test

import data.tidegate.lib.fixtures
import data.tidegate.lib.values

test_read_finds_a_known_value if {
	values.read({"a": {"b": 0}}, ["a", "b"]) == {"state": "known", "value": 0}
}

test_read_takes_null_and_nothing_for_absent if {
	every properties in [{}, {"a": {}}, {"a": {"b": null}}, {"a": null}] {
		values.read(properties, ["a", "b"]) == {"state": "absent", "value": null}
	}
}

test_read_never_takes_a_hidden_parent_for_absent if {
	every properties in [
		fixtures.unknown,
		null,
		[],
		{"a": fixtures.unknown},
		{"a": {"b": fixtures.unknown}},
		{"a": fixtures.secret},
	] {
		values.read(properties, ["a", "b"]) == {"state": "hidden", "value": null}
	}
}

test_read_number_takes_digits_for_a_number if {
	values.read_number({"a": "30"}, ["a"]) == {"state": "known", "value": 30}
	values.read_number({"a": 30}, ["a"]) == {"state": "known", "value": 30}
	values.read_number({}, ["a"]) == {"state": "absent", "value": null}
}

test_read_number_hides_what_is_no_number if {
	every value in ["many", true, [], fixtures.unknown] {
		values.read_number({"a": value}, ["a"]) == {"state": "hidden", "value": null}
	}
}

test_render_never_shows_a_marker if {
	values.render(fixtures.unknown) == "not known yet"
	values.render(fixtures.secret) == "[secret]"
	values.render(3) == "3"
}
