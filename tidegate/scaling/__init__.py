"""What to open and close, decided from what is known; pure: the time and all facts are told."""
