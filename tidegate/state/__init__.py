"""What the controller remembers, in a database."""
