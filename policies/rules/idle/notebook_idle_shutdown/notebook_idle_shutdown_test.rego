package tidegate.rules.idle.notebook_idle_shutdown_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.idle.notebook_idle_shutdown as rule

verdicts_with(resource, exceptions) := found if {
	parameters := {"TG-IDL-001": {"maxSeconds": {"default": 3600}, "exceptions": exceptions}}
	found := rule.verdicts with input as fixtures.document([resource], parameters)
}

verdicts(resource) := verdicts_with(resource, [])

notebook(after) := fixtures.with_facts(
	fixtures.resource("gcp:workbench/instance:Instance", {}),
	{"idle": {"kind": "notebook", "after": after}},
)

idle := notebook(fixtures.absent_fact("metadata"))

failed(found) := {fixtures.verdict(idle, "fail", {
	"property": "metadata",
	"message": "it (gcp:workbench/instance:Instance) runs on when nobody works in it",
	"expected": "an idle shutdown after at most 3600 seconds",
	"found": found,
})}

test_pass_within_the_limit_and_with_a_script if {
	every seconds in [3600, null] {
		verdicts(notebook(fixtures.fact(seconds, "metadata"))) == {fixtures.verdict(idle, "pass", {"property": "metadata"})}
	}
}

test_fail_without_one_or_above_the_limit if {
	verdicts(idle) == failed("none")
	verdicts(notebook(fixtures.fact(7200, "metadata"))) == failed("7200 seconds")
}

test_pass_with_a_service_level_that_has_an_owner if {
	exception := {"resource": "it", "serviceLevel": "demo", "owner": "sales"}
	verdicts_with(idle, [exception]) == {fixtures.verdict(idle, "pass", {"property": "metadata", "found": "serves demo, owned by sales"})}
}

test_unknown_where_it_cannot_be_seen if {
	verdicts(notebook(fixtures.hidden_fact("metadata"))) == {fixtures.verdict(idle, "unknown", {
		"property": "metadata",
		"message": "when it (gcp:workbench/instance:Instance) stops by itself is not known yet",
		"expected": "an idle shutdown after at most 3600 seconds",
		"found": "not known yet",
	})}
}

test_says_nothing_of_other_resources if {
	endpoint := fixtures.with_facts(idle, {"idle": {"kind": "endpoint"}})
	verdicts(endpoint) == set()
}
