package tidegate.rules.telemetry.debug_level_test

import data.tidegate.lib.fixtures
import data.tidegate.rules.telemetry.debug_level as rule

verdicts(level, labels) := found if {
	resource := fixtures.labelled(fixtures.with_facts(program, {"logLevels": [level]}), labels)
	parameters := {"TG-TEL-004": {"environments": ["prod"], "levels": ["debug"]}}
	found := rule.verdicts with input as fixtures.document([resource], parameters)
}

program := fixtures.resource("aws:lambda/function:Function", {})

test_pass_on_info_and_elsewhere if {
	verdicts(fixtures.fact("info", "LOG_LEVEL"), {}) == {fixtures.verdict(program, "pass", {"property": "LOG_LEVEL"})}
	verdicts(fixtures.fact("debug", "LOG_LEVEL"), {"environment": "dev"}) == set()
}

test_fail_on_debug_in_production if {
	verdicts(fixtures.fact("DEBUG", "LOG_LEVEL"), {}) == {fixtures.verdict(program, "fail", {
		"property": "LOG_LEVEL",
		"message": "it (aws:lambda/function:Function) logs at debug level in production",
		"expected": "info or higher",
		"found": "DEBUG",
	})}
}

test_unknown_where_it_cannot_be_seen if {
	verdicts(fixtures.hidden_fact("LOG_LEVEL"), {}) == {fixtures.verdict(program, "unknown", {
		"property": "LOG_LEVEL",
		"message": "at which level it (aws:lambda/function:Function) logs is not known yet",
		"expected": "info or higher",
		"found": "not known yet",
	})}
}
