"""Telemetry streams with a stated retention."""
