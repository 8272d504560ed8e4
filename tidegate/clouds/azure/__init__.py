"""Azure's own APIs."""
