package tidegate.lib.others_test

import data.tidegate.lib.others

test_of_a_portion_it_is_what_was_left_here if {
	others.resources == ["left"] with input as {"portion": true, "resources": ["own"]}
		with data.tidegate.shared as {"others": ["left"]}
}

test_of_a_portion_it_is_what_the_question_carries if {
	others.resources == ["carried"] with input as {"portion": true, "resources": ["own"], "others": ["carried"]}
}

test_of_a_whole_stack_it_is_all_of_it if {
	others.resources == ["own"] with input as {"portion": false, "resources": ["own"]}
		with data.tidegate.shared as {"others": ["left"]}
}
