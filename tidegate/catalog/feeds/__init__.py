"""The clouds' own price answers, read strictly: text in, prices and what was skipped out."""
