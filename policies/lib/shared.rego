# METADATA
# title: What all questions of a check share
# description: >-
#   Parameters, label keys and storage classes are the same for every resource. A question carries
#   them itself, or whoever asks has left them with this OPA before.
package tidegate.lib.shared

parameters := input.parameters if {
	input.parameters
} else := data.tidegate.shared.parameters

labelKeys := input.labelKeys if {
	input.labelKeys
} else := data.tidegate.shared.labelKeys

labelSpellings := input.labelSpellings if {
	input.labelSpellings
} else := data.tidegate.shared.labelSpellings

labelAliases := input.labelAliases if {
	input.labelAliases
} else := data.tidegate.shared.labelAliases

storageClasses := input.storageClasses if {
	input.storageClasses
} else := data.tidegate.shared.storageClasses
