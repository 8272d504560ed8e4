package tidegate.rules.telemetry.telemetry_volume_test

import data.tidegate.lib.declared
import data.tidegate.lib.fixtures
import data.tidegate.rules.telemetry.telemetry_volume as rule

verdicts_with(resources, manifest) := found if {
	parameters := {"TG-TEL-002": {"maxGibPerMonth": {"default": 100, "prod": 500}}}
	document := object.union(fixtures.whole(resources, parameters), {"manifest": manifest})
	found := rule.verdicts with input as document
}

verdicts(resources) := verdicts_with(resources, null)

stack := {"urn": ""}

stream(name, labels) := fixtures.named(
	fixtures.labelled(fixtures.resource("aws:cloudwatch/logGroup:LogGroup", {}), labels),
	name,
)

expecting(name, gib) := stream(name, {"expected-gib-per-month": gib})

test_pass_at_the_budget if {
	verdicts([expecting("a", "200"), expecting("b", "300")]) == {fixtures.verdict(stack, "pass", {})}
}

test_fail_above_the_budget if {
	verdicts([expecting("a", "200"), expecting("b", "301"), stream("c", {})]) == {fixtures.verdict(stack, "fail", {
		"message": "the streams of prod take in more than its telemetry budget",
		"expected": "at most 500 GiB a month",
		"found": "501 GiB a month",
	})}
}

test_unknown_where_a_stream_says_nothing if {
	verdicts([expecting("a", "200"), expecting("b", "much"), stream("c", {})]) == {fixtures.verdict(stack, "unknown", {
		"message": "how much some streams of prod take in is not known",
		"expected": "at most 500 GiB a month",
		"found": "200 GiB a month, and nothing said by b, c",
	})}
}

test_the_manifest_says_it_as_well if {
	manifest := {"telemetry": [{"id": "c", "expectedGibPerMonth": "501"}]}
	{found.outcome | some found in verdicts_with([stream("c", {})], manifest)} == {"fail"}
}

test_says_nothing_without_streams_nor_before_the_whole_is_seen if {
	verdicts([fixtures.resource("aws:s3/bucket:Bucket", {})]) == set()
	parameters := {"TG-TEL-002": {"maxGibPerMonth": {"default": 1}}}
	found := rule.verdicts with input as fixtures.document([expecting("a", "2")], parameters)
	found == set()
}

test_a_label_comes_before_the_manifest if {
	manifest := {"telemetry": [{"id": "a", "expectedGibPerMonth": "501"}]}
	verdicts_with([expecting("a", "200")], manifest) == {fixtures.verdict(stack, "pass", {})}
}

test_what_to_do_is_said_where_the_manifest_is_not_shown if {
	parameters := {"TG-TEL-002": {"maxGibPerMonth": {"default": 500}}}
	verdicts := rule.verdicts with input as fixtures.unshown([stream("c", {})], parameters)
	{[each.outcome, each.found] | some each in verdicts} == {["unknown", sprintf("0 GiB a month, and nothing said by c (%s)", [declared.not_shown])]}
}
