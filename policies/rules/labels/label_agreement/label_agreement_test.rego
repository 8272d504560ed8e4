package tidegate.rules.labels.label_agreement_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.labels.label_agreement as rule

parameters := {"keys": ["owner"]}

of_scope(scope, owner) := object.union(fixtures.site_of({"owner": owner}), {"scope": scope})

template(owner) := object.union(
	fixtures.resource("aws:ec2/launchTemplate:LaunchTemplate", {}),
	{"labelSites": [of_scope("resource", "a"), of_scope("instances", owner)]},
)

verdicts(resources) := found if {
	found := rule.verdicts with input as fixtures.document(resources, {"TG-LBL-004": parameters})
}

test_pass_where_they_agree if {
	verdicts([template("a")]) == {fixtures.verdict(template("a"), "pass", {"property": "owner"})}
}

test_fail_where_they_differ if {
	verdicts([template("b")]) == {fixtures.verdict(template("b"), "fail", {
		"property": "owner",
		"message": "it (aws:ec2/launchTemplate:LaunchTemplate) starts machines whose owner is not its own",
		"expected": "a",
		"found": "b",
	})}
}

test_fail_where_a_node_group_and_its_template_differ if {
	group := object.union(
		fixtures.resource("aws:eks/nodeGroup:NodeGroup", {}),
		{"labelSites": [of_scope("resource", "z"), object.union(of_scope("instances", ""), {"elsewhere": template("a").urn})]},
	)
	{found.message | some found in verdicts([group, template("a")]); found.outcome == "fail"} == {"it (aws:eks/nodeGroup:NodeGroup) starts machines whose owner is not its own"}
}

test_says_nothing_of_what_starts_no_machines if verdicts([fixtures.resource("aws:s3/bucket:Bucket", {})]) == set()
