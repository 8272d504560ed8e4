"""The commands: the composition root, which alone sees every room."""
