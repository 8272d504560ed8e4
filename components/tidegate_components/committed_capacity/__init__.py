"""Reserved capacity: acknowledged, protected, never replaced."""
