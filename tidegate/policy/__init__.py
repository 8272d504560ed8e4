"""Policy checks without effects: resources in, prepared rule input, verdicts out.

Python prepares what the rules read (labels by cloud and shape, unknowns explicit, secrets
redacted); the rules in `policies/rules` decide. Nothing here reads a clock, a file, the
environment or the network.
"""
