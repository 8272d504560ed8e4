"""Inference capacity: a committed base, an elastic top, and nothing when nobody asks."""
