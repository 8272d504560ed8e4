package tidegate.rules.idle.idle_scale_down_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.idle.idle_scale_down as rule

verdicts(after) := found if {
	parameters := {"TG-IDL-002": {"maxSeconds": {"default": 600}}}
	resource := fixtures.with_facts(scaled, {"idle": {"kind": "endpoint", "after": after}})
	found := rule.verdicts with input as fixtures.document([resource], parameters)
}

scaled := fixtures.resource("kubernetes:keda.sh/v1alpha1:ScaledObject", {})

said(outcome, message, found) := {fixtures.verdict(scaled, outcome, {
	"property": "cooldown",
	"message": message,
	"expected": "at most 600 seconds",
	"found": found,
})}

test_pass_within_the_limit if {
	verdicts(fixtures.fact(600, "cooldown")) == {fixtures.verdict(scaled, "pass", {"property": "cooldown"})}
}

test_fail_above_the_limit_and_where_it_never_shrinks if {
	verdicts(fixtures.fact(601, "cooldown")) == said(
		"fail",
		"it (kubernetes:keda.sh/v1alpha1:ScaledObject) keeps idle replicas or nodes for long",
		"601 seconds",
	)
	verdicts(fixtures.absent_fact("cooldown")) == said(
		"fail",
		"it (kubernetes:keda.sh/v1alpha1:ScaledObject) does not shrink when it is idle",
		"never",
	)
}

test_unknown_where_it_cannot_be_seen if {
	verdicts(fixtures.hidden_fact("cooldown")) == said(
		"unknown",
		"after how long it (kubernetes:keda.sh/v1alpha1:ScaledObject) shrinks is not known yet",
		"not known yet",
	)
}
