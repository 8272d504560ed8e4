"""Google Cloud's own APIs."""
