# METADATA
# title: Cost labels
# description: >-
#   Keys, spellings and the clouds' grammars. Which spellings count as one key is decided here and
#   nowhere else, alike on all clouds: letter case and the estate's aliases are folded. What a cloud
#   itself makes of case is in `collisions` and `grammar`.
package tidegate.lib.labels

import data.tidegate.lib.shared
import data.tidegate.lib.values

folded(key) := lower(trim_space(key))

# The canonical key that a spelling stands for; the folded spelling itself when nothing knows it.
canonical(key, aliases) := folded(key) if {
	folded(key) in shared.labelKeys
} else := object.get(aliases, folded(key), folded(key))

# The spellings of a key in the estate; at hand for the keys that everybody has.
estate_spellings(key) := shared.labelSpellings[key]

estate_spellings(key) := spellings(key, shared.labelAliases) if not shared.labelSpellings[key]

# Every folded spelling that counts as `key`. The targets of `aliases` are folded already.
spellings(key, aliases) := {folded(key), name} | {spelling | some spelling, target in aliases; target == name} if {
	name := canonical(key, aliases)
}

# The labels of a site that count as a key, by the key as it is spelt there.
entries(site, accepted) := {key: value |
	some key, value in site.labels
	folded(key) in accepted
}

# What a site says of a key: "present", "unknown" (it may be there) or "missing".
state(site, accepted) := "present" if {
	some value in entries(site, accepted)
	is_present(value)
} else := "unknown" if {
	some value in entries(site, accepted)
	values.is_hidden(value)
} else := "unknown" if {
	site.open
} else := "missing"

# An empty value labels nothing; a secret one is there.
is_present(value) if {
	is_string(value)
	trim_space(value) != ""
}

is_present(value) if value["$secret"] == true

# The first known value of a key on any carrier of a resource.
value_of(resource, accepted) := min({value |
	some [key, value] in _known(resource)
	key in accepted
})

# Folded key and value of each label whose value is known; made once for a resource, not for each
# key that a rule asks for.
_known(resource) := {[folded(spelt), value] |
	some site in resource.labelSites
	some spelt, value in site.labels
	is_string(value)
	value != ""
}

# Groups of spellings at a site that a cloud takes for one key although they are two labels.
collisions(cloud, site) := {group |
	cloud == "azure"
	some key, _ in site.labels
	group := {other | some other, _ in site.labels; lower(other) == lower(key)}
	count(group) > 1
}

# The most labels that a cloud takes on one resource.
limit := {"aws": 50, "azure": 50, "gcp": 64}

# What a cloud's grammar says against one label; undefined when nothing. Google Cloud lets in
# lowercase letters of every script.
grammar(cloud, key, value) := message if {
	cloud == "gcp"
	message := _gcp_grammar(key, value)
}

grammar(cloud, key, value) := message if {
	cloud == "aws"
	message := _aws_grammar(key, value)
}

grammar(cloud, key, value) := message if {
	cloud == "azure"
	message := _azure_grammar(key, value)
}

_gcp_grammar(key, value) := "a key of 1 to 63 lowercase letters, digits, '_' or '-' that starts with a letter" if {
	not regex.match(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$`, key)
} else := "a value of at most 63 lowercase letters, digits, '_' or '-'" if {
	not regex.match(`^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$`, value)
}

_aws_grammar(key, value) := "a key that does not start with 'aws:'" if {
	startswith(lower(key), "aws:")
} else := "a key of 1 to 128 characters" if {
	_is_outside(count(key), 1, 128)
} else := "a value of at most 256 characters" if {
	count(value) > 256
}

_is_outside(number, least, _) if number < least

_is_outside(number, _, most) if number > most

_azure_grammar(key, value) := "a key without < > % & \\ ? /" if {
	regex.match(`[<>%&\\?/]`, key)
} else := "a key of 1 to 512 characters" if {
	_is_outside(count(key), 1, 512)
} else := "a value of at most 256 characters" if {
	count(value) > 256
}
