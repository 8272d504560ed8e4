# METADATA
# title: What is asked of the rules
# description: >-
#   One document: `category/name` of each rule → its verdicts. A rule without `verdicts` is
#   missing here, which whoever asks reports as an error. A question may name the rules that it is
#   for (`asked`) and those that another question is for (`unasked`), which say nothing then.
package tidegate.main

answers[path] := verdicts if {
	not input.asked
	some category, name
	verdicts := data.tidegate.rules[category][name].verdicts
	path := concat("/", [category, name])
}

answers[path] := verdicts if {
	some path in input.asked
	[category, name] := split(path, "/")
	verdicts := data.tidegate.rules[category][name].verdicts
}

answers[path] := [] if some path in input.unasked
