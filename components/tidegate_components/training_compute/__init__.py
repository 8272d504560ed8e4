"""Training that its cloud runs: nodes come for a job and go after it."""
