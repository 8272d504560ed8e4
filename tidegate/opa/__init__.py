"""The real OPA behind the rule-engine port: a local server, its client, the rules it loads."""
