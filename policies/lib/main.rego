# METADATA
# title: What is asked of the rules
# description: >-
#   One document: `category/name` of each rule → its verdicts. A rule without `verdicts` is
#   missing here, which whoever asks reports as an error.
package tidegate.main

answers[path] := verdicts if {
	some category, name
	verdicts := data.tidegate.rules[category][name].verdicts
	path := concat("/", [category, name])
}
