"""Texts that neither Markdown nor HTML reads anything into."""

from __future__ import annotations

_WRITTEN = (
    ("\\", "\\\\"),
    ("&", "&amp;"),
    ("<", "&lt;"),
    (">", "&gt;"),
    ("|", "\\|"),
    ("`", "\\`"),
    ("*", "\\*"),
    ("_", "\\_"),
    ("~", "\\~"),
    ("$", "\\$"),  # GitHub sets what stands between two of them as a formula
    ("[", "\\["),
    ("]", "\\]"),
    ("@", "@\u200b"),  # names nobody: a comment must not notify strangers
    ("\n", " "),
    ("\r", " "),
)


def plain_text(text: str) -> str:
    """Return a text that stays as it is in a cell or a line of Markdown."""
    for letter, written in _WRITTEN:
        text = text.replace(letter, written)
    return text
