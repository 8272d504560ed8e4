"""Kubernetes inside the local clouds: one API server for each cluster that they hold."""
