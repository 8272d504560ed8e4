"""Renders what the rooms below return: Markdown, JSON, HTML."""
