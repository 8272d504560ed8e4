"""Renders what the rooms below decide: for people, for machines, for pull requests.

Text in, text out. Nothing here reads a clock, a file or the environment.
"""
