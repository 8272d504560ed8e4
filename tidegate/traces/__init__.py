"""Readers of trace files: public ones, and a queue's own history."""
