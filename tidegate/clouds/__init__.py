"""The clouds' own APIs: the only rooms that speak to them."""
