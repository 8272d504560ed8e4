"""Where demand comes from: clusters, queues, metrics and files."""
