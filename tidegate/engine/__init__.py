"""The Pulumi CLI and its programs: finding the tools, hosting Python, running, recovering."""
