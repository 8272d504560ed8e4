"""Diversified spot machines with an on-demand floor, on three clouds."""
