"""The loop: observe, decide, apply, record; everything through ports."""
