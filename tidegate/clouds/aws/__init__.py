"""AWS's own APIs."""
