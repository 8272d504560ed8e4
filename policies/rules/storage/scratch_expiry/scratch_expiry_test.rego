package tidegate.rules.storage.scratch_expiry_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.storage.scratch_expiry as rule

verdicts(resource) := found if {
	parameters := {"TG-STO-002": {"classes": ["scratch"], "maxDays": {"default": 30, "dev": 7}}}
	found := rule.verdicts with input as fixtures.whole([resource], parameters)
}

bucket(actions, open) := fixtures.named(
	fixtures.with_facts(
		fixtures.resource("gcp:storage/bucket:Bucket", {}),
		{"bucket": {"versioned": fixtures.absent_fact("v"), "apart": false, "actions": actions, "open": open}},
	),
	"team-scratch",
)

expiring(days) := {"action": "expire", "of": "current", "whole": true, "days": days}

after(days) := bucket([expiring(fixtures.fact(days, "age"))], false)

failed(found) := {fixtures.verdict(after(1), "fail", {
	"message": "team-scratch (gcp:storage/bucket:Bucket) keeps scratch data for longer than it is worth",
	"expected": "at most 30 days",
	"found": found,
})}

test_pass_within_the_limit if verdicts(after(30)) == {fixtures.verdict(after(30), "pass", {})}

test_fail_above_the_limit if verdicts(after(31)) == failed("31 days")

test_fail_where_only_a_part_expires if {
	part := object.union(expiring(fixtures.fact(7, "age")), {"whole": false})
	old := object.union(expiring(fixtures.fact(7, "age")), {"of": "old"})
	verdicts(bucket([part, old], false)) == failed("for ever")
}

test_unknown_where_it_cannot_be_seen if {
	every resource in [bucket([], true), bucket([expiring(fixtures.hidden_fact("age"))], false)] {
		verdicts(resource) == {fixtures.verdict(resource, "unknown", {
			"message": "when the scratch data of team-scratch (gcp:storage/bucket:Bucket) expires is not known yet",
			"expected": "at most 30 days",
			"found": "not known yet",
		})}
	}
}

test_the_class_is_told_by_label_and_manifest_as_well if {
	named := fixtures.named(bucket([], false), "data")
	{found.outcome | some found in verdicts(fixtures.labelled(named, {"data-class": "scratch"}))} == {"fail"}
	verdicts(fixtures.labelled(bucket([], false), {"data-class": "dataset"})) == set()
	verdicts(named) == set()
	parameters := {"TG-STO-002": {"classes": ["scratch"], "maxDays": {"default": 30}}}
	manifest := {"manifest": {"buckets": [{"id": "data", "storageClass": "scratch"}]}}
	declared := rule.verdicts with input as object.union(fixtures.whole([named], parameters), manifest)
	{found.outcome | some found in declared} == {"fail"}
}

unshown(resource) := found if {
	parameters := {"TG-STO-002": {"classes": ["scratch"], "maxDays": {"default": 30}}}
	found := rule.verdicts with input as fixtures.unshown([resource], parameters)
}

test_unknown_where_the_class_may_stand_in_a_manifest_that_is_not_shown if {
	urn := "urn:pulumi:prod::vision::tidegate:index:Bucket$gcp:storage/bucket:Bucket::data"
	made := object.union(fixtures.named(bucket([], false), "data"), {"urn": urn})
	every resource in [bucket([], false), made] {
		unshown(resource) == {fixtures.verdict(resource, "unknown", {
			"message": sprintf("whether %s (gcp:storage/bucket:Bucket) holds scratch data is for the stack's manifest to say", [resource.name]),
			"expected": "at most 30 days",
			"found": declared.not_shown,
		})}
	}
}

test_what_no_manifest_can_say_is_judged_without_it if {
	unshown(after(30)) == {fixtures.verdict(after(30), "pass", {})}
	labelled := fixtures.labelled(bucket([], false), {"data-class": "scratch"})
	{found.outcome | some found in unshown(labelled)} == {"fail"}
	unshown(fixtures.named(bucket([], false), "data")) == set()
}
