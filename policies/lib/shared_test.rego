package tidegate.lib.shared_test

import data.tidegate.lib.shared

_keys := ["parameters", "labelKeys", "labelSpellings", "labelAliases", "storageClasses"]

_all := {
	"parameters": shared.parameters,
	"labelKeys": shared.labelKeys,
	"labelSpellings": shared.labelSpellings,
	"labelAliases": shared.labelAliases,
	"storageClasses": shared.storageClasses,
}

_left := {key: {"left": key} | some key in _keys}

test_what_was_left_here_is_read if {
	_all == _left with input as {} with data.tidegate.shared as _left
}

test_what_the_question_carries_comes_first if {
	asked := {key: {"asked": key} | some key in _keys}
	_all == asked with input as asked with data.tidegate.shared as _left
}

test_what_nobody_says_is_undefined if {
	not shared.parameters with input as {} with data.tidegate.shared as {}
}
