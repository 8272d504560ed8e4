"""Reviews: what was declared and used becomes findings, and the next change to declare."""
