"""Pulumi components that declare labelled GPU capacity on three clouds."""
