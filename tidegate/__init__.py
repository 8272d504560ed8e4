"""Tidegate: declare, gate, run and account GPU capacity on three clouds."""

__version__ = "0.1.0"
