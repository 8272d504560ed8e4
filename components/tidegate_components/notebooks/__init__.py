"""Interactive machines that stop by themselves when nobody works on them."""
