# METADATA
# title: The other resources of a stack
# description: >-
#   What a resource may refer to. A large stack is asked about in portions: `input.resources` are
#   then those of one portion, and what any of them may refer to is in `others`.
package tidegate.lib.others

resources := input.others if {
	input.others
} else := data.tidegate.shared.others if {
	input.portion
} else := input.resources
