package tidegate.rules.labels.mandatory_cost_labels_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.labels.mandatory_cost_labels as rule

bucket := fixtures.resource("aws:s3/bucket:Bucket", {})

with_sites(resource, sites) := object.union(resource, {"labelSites": sites})

with_labels(resource, labels) := with_sites(resource, [fixtures.site_of(labels)])

parameters := {"TG-LBL-001": {"requiredKeys": ["owner", "cost-center"], "aliases": {}}}

verdicts(resources) := found if {
	found := rule.verdicts with input as fixtures.document(resources, parameters)
}

both := {"owner": "a", "cost-center": "1"}

passed(resource, message) := {
	"urn": resource.urn,
	"outcome": "pass",
	"property": "",
	"message": message,
	"expected": "",
	"found": "",
}

test_pass_with_all_keys if verdicts([with_labels(bucket, both)]) == {passed(bucket, "")}

test_pass_with_an_alias if {
	verdicts([with_labels(bucket, {"owner": "a", "CostCentre": "1"})]) == {passed(bucket, "")}
}

test_pass_with_an_alias_of_the_parameters if {
	document := fixtures.document(
		[with_labels(bucket, {"owner": "a", "KST": "1"})],
		{"TG-LBL-001": {"requiredKeys": ["owner", "cost-center"], "aliases": {"Kst": "cost-center"}}},
	)
	found := rule.verdicts with input as document
	found == {passed(bucket, "")}
}

test_pass_with_a_remark_on_letter_case if {
	group := fixtures.resource("azure-native:resources:ResourceGroup", {})
	verdicts([with_labels(group, {"owner": "a", "Cost-Center": "1"})]) == {passed(
		group,
		"it (azure-native:resources:ResourceGroup) spells cost-center as Cost-Center in tags",
	)}
}

test_pass_with_a_secret_value if {
	verdicts([with_labels(bucket, {"owner": fixtures.secret, "cost-center": "1"})]) == {passed(bucket, "")}
}

test_fail_without_labels if {
	verdicts([with_labels(bucket, {})]) == {{
		"urn": bucket.urn,
		"outcome": "fail",
		"property": "tags",
		"message": "it (aws:s3/bucket:Bucket) lacks cost labels: owner, cost-center",
		"expected": "owner, cost-center",
		"found": "no labels",
	}}
}

test_fail_on_what_is_absent_and_doubt_what_is_unknown if {
	verdicts([with_labels(bucket, {"owner": fixtures.unknown})]) == {
		{
			"urn": bucket.urn,
			"outcome": "fail",
			"property": "tags",
			"message": "it (aws:s3/bucket:Bucket) lacks cost labels: cost-center",
			"expected": "owner, cost-center",
			"found": "owner=not known yet",
		},
		{
			"urn": bucket.urn,
			"outcome": "unknown",
			"property": "tags",
			"message": "it (aws:s3/bucket:Bucket) may lack cost labels: owner",
			"expected": "owner, cost-center",
			"found": "owner=not known yet",
		},
	}
}

test_fail_on_what_is_started if {
	site := object.union(fixtures.site_of({"owner": "a"}), {"scope": "volumes"})
	verdicts([with_sites(bucket, [fixtures.site_of(both), site])]) == {{
		"urn": bucket.urn,
		"outcome": "fail",
		"property": "tags",
		"message": "it (aws:s3/bucket:Bucket) lacks cost labels on its volumes: cost-center",
		"expected": "owner, cost-center",
		"found": "owner=a",
	}}
}

test_fail_when_spellings_disagree if {
	verdicts([with_labels(bucket, {"owner": "a", "cost-center": "1", "CostCentre": "2"})]) == {{
		"urn": bucket.urn,
		"outcome": "fail",
		"property": "tags",
		"message": "it (aws:s3/bucket:Bucket) spells the cost label cost-center in ways that disagree",
		"expected": "one label cost-center",
		"found": "CostCentre=2, cost-center=1",
	}}
}

test_fail_when_azure_keys_differ_in_case_alone if {
	group := fixtures.resource("azure-native:resources:ResourceGroup", {})
	verdicts([with_labels(group, object.union(both, {"Owner": "a"}))]) == {{
		"urn": group.urn,
		"outcome": "fail",
		"property": "tags",
		"message": concat(" ", [
			"it (azure-native:resources:ResourceGroup) has tags that differ in letter case alone,",
			"which Azure takes for one",
		]),
		"expected": "one spelling",
		"found": "Owner, owner",
	}}
}

test_fail_on_too_many_labels if {
	extra := {sprintf("k%d", [index]): "v" | some index in numbers.range(1, 49)}
	verdicts([with_labels(bucket, object.union(both, extra))]) == {{
		"urn": bucket.urn,
		"outcome": "fail",
		"property": "tags",
		"message": "it (aws:s3/bucket:Bucket) has more labels than its cloud takes",
		"expected": "at most 50",
		"found": "51",
	}}
}

test_fail_on_a_label_that_the_cloud_refuses if {
	store := fixtures.resource("gcp:storage/bucket:Bucket", {})
	verdicts([with_labels(store, {"owner": "ML@Team", "cost-center": fixtures.unknown})]) == {
		{
			"urn": store.urn,
			"outcome": "fail",
			"property": "tags.owner",
			"message": "it (gcp:storage/bucket:Bucket) has a label that its cloud refuses: owner",
			"expected": "a value of at most 63 lowercase letters, digits, '_' or '-'",
			"found": "ML@Team",
		},
		{
			"urn": store.urn,
			"outcome": "unknown",
			"property": "tags",
			"message": "it (gcp:storage/bucket:Bucket) may lack cost labels: cost-center",
			"expected": "owner, cost-center",
			"found": "cost-center=not known yet, owner=ML@Team",
		},
	}
}

template_site(elsewhere) := {
	"scope": "instances",
	"property": "launchTemplate",
	"labels": {},
	"open": false,
	"declared": elsewhere != "absent",
	"elsewhere": elsewhere,
}

nodes := fixtures.resource("aws:eks/nodeGroup:NodeGroup", {})

node_group(elsewhere) := with_sites(nodes, [fixtures.site_of(both), template_site(elsewhere)])

test_fail_on_a_node_group_without_launch_template if {
	verdicts([node_group("absent")]) == {{
		"urn": nodes.urn,
		"outcome": "fail",
		"property": "launchTemplate",
		"message": concat(" ", [
			"it (aws:eks/nodeGroup:NodeGroup) has no launch template, so that no cost labels reach",
			"its instances, volumes and network interfaces",
		]),
		"expected": "a launch template with tag specifications for instance, volume and network-interface",
		"found": "none",
	}}
}

test_pass_on_a_node_group_whose_template_is_judged_itself if {
	verdicts([node_group("urn:template")]) == {passed(nodes, "")}
}

test_a_template_that_is_not_seen_is_no_doubt_before_all_resources_are if {
	verdicts([node_group("unresolved")]) == {passed(nodes, "")}
}

test_unknown_on_a_template_that_the_stack_does_not_declare if {
	document := object.union(fixtures.document([node_group("unresolved")], parameters), {"complete": true})
	found := rule.verdicts with input as document
	found == {{
		"urn": nodes.urn,
		"outcome": "unknown",
		"property": "launchTemplate",
		"message": concat(" ", [
			"it (aws:eks/nodeGroup:NodeGroup) starts instances from a launch template",
			"that is not declared in this stack",
		]),
		"expected": "tag specifications for instance, volume and network-interface",
		"found": "a template that cannot be seen from here",
	}}
}

test_unknown_on_a_type_nobody_knows if {
	odd := with_sites(fixtures.resource("aws:odd/thing:Thing", {}), null)
	verdicts([odd]) == {{
		"urn": odd.urn,
		"outcome": "unknown",
		"property": "",
		"message": "it is not known whether aws:odd/thing:Thing takes cost labels",
		"expected": "a type whose labels are known",
		"found": "aws:odd/thing:Thing",
	}}
}

test_not_applicable_to_a_type_without_labels if {
	setting := with_sites(fixtures.resource("azure-native:insights:DiagnosticSetting", {}), [])
	verdicts([setting]) == {{
		"urn": setting.urn,
		"outcome": "not-applicable",
		"property": "",
		"message": "azure-native:insights:DiagnosticSetting takes no cost labels",
		"expected": "",
		"found": "",
	}}
}

test_says_nothing_of_other_providers if {
	verdicts([with_sites(fixtures.resource("kubernetes:core/v1:Pod", {}), null)]) == set()
}
