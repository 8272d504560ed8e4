"""Renders what the rooms below return: tables, Markdown, JSON, HTML, SARIF, JUnit, annotations."""
