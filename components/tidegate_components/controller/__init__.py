"""The controller in a cluster: what it runs as, what it may do there, and whom clouds see."""
