"""Queues over pools: Kueue objects, namespaces with quotas, and Polyaxon presets that match."""
