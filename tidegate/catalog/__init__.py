"""Dated facts about what the clouds sell, and pure look-ups over them.

A `Catalog` is a value: load it with `tidegate.catalog.load.load_catalog` and pass it on.
"""
