"""The least privilege that the controller needs, on three clouds."""
