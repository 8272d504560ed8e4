"""What a policy would have cost on a trace, by the same `decide`; pure: chance is passed in."""
