"""What the rooms share: frozen values and enums, standard library only.

A type enters this room when two rooms need it. Nothing here reads a clock, a file, the
environment or the network.
"""
