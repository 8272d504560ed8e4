package tidegate.lib.labels_test

import data.tidegate.lib.fixtures
import data.tidegate.lib.labels

aliases := {"costcentre": "cost-center", "kst": "cost-center", "team name": "team"}

document := fixtures.document([], {})

accepted(key) := spellings if {
	spellings := labels.spellings(key, aliases) with input as document
}

test_spellings_fold_case_and_aliases_of_a_known_key if {
	accepted("cost-center") == {"cost-center", "costcentre", "kst"}
	accepted("Cost-Center") == {"cost-center", "costcentre", "kst"}
}

test_spellings_of_an_alias_are_those_of_its_key if {
	accepted("CostCentre") == {"cost-center", "costcentre", "kst"}
}

test_spellings_of_an_unheard_key_are_itself if accepted("Project") == {"project"}

test_state_is_present_for_text_and_secret if {
	every value in ["a", "none", fixtures.secret] {
		labels.state(fixtures.site_of({"Owner": value}), {"owner"}) == "present"
	}
}

test_state_is_missing_for_absent_and_empty if {
	every found in [{}, {"owner": ""}, {"owner": " "}, {"ownership": "a"}] {
		labels.state(fixtures.site_of(found), {"owner"}) == "missing"
	}
}

test_state_is_unknown_for_an_unknown_value_and_for_an_open_site if {
	labels.state(fixtures.site_of({"owner": fixtures.unknown}), {"owner"}) == "unknown"
	labels.state(object.union(fixtures.site, {"open": true}), {"team"}) == "unknown"
}

test_value_of_reads_the_first_known_value if {
	resource := object.union(fixtures.resource("aws:x:Y", {}), {"labelSites": [
		fixtures.site_of({"a": fixtures.unknown}),
		fixtures.site_of({"A": "", "a": "one"}),
	]})
	labels.value_of(resource, {"a"}) == "one"
	not labels.value_of(resource, {"b"})
}

test_collisions_are_azures_alone if {
	site := fixtures.site_of({"CostCenter": "1", "costcenter": "1", "owner": "a"})
	labels.collisions("azure", site) == {{"CostCenter", "costcenter"}}
	labels.collisions("aws", site) == set()
}

repeat(text, times) := concat("", [text | some _ in numbers.range(1, times)])

test_gcp_grammar_takes_lowercase_letters_of_every_script if {
	every value in ["", "ml-team", "ü", "日本", "a_1", repeat("a", 63)] {
		not labels.grammar("gcp", "owner", value)
	}
}

test_gcp_grammar_refuses_other_values if {
	every value in ["ML@Team", "Ü", "a b", repeat("a", 64)] {
		labels.grammar("gcp", "owner", value) == "a value of at most 63 lowercase letters, digits, '_' or '-'"
	}
}

test_gcp_grammar_refuses_other_keys if {
	every key in ["Owner", "1st", "", "_a", repeat("a", 64)] {
		message := labels.grammar("gcp", key, "a")
		message == "a key of 1 to 63 lowercase letters, digits, '_' or '-' that starts with a letter"
	}
}

test_aws_grammar if {
	not labels.grammar("aws", "k8s.io/x y", "ML@Team, both")
	labels.grammar("aws", "AWS:x", "") == "a key that does not start with 'aws:'"
	labels.grammar("aws", "", "") == "a key of 1 to 128 characters"
	labels.grammar("aws", repeat("a", 129), "") == "a key of 1 to 128 characters"
	labels.grammar("aws", "a", repeat("a", 257)) == "a value of at most 256 characters"
	not labels.grammar("aws", repeat("a", 128), repeat("ü", 256))
}

test_azure_grammar if {
	not labels.grammar("azure", "Cost Center", "<any>")
	every key in ["a<", "a>", "a%", "a&", `a\`, "a?", "a/b"] {
		labels.grammar("azure", key, "") == `a key without < > % & \ ? /`
	}
	labels.grammar("azure", "", "") == "a key of 1 to 512 characters"
	labels.grammar("azure", "a", repeat("a", 257)) == "a value of at most 256 characters"
}

test_estate_spellings_of_a_key_that_only_this_estate_has if {
	document := object.union(fixtures.document([], {}), {"labelAliases": {"squad": "team"}})
	labels.estate_spellings("team") == {"team", "squad"} with input as document
	labels.estate_spellings("owner") == ["owner"] with input as document
}
