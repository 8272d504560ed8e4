"""Provider budgets and anomaly monitors for one cost label."""
