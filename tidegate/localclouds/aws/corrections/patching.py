"""Putting methods onto moto's classes, each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MARK = "_tidegate_corrected"


def wrap(cls: type, name: str, build: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace a method by what `build` makes of the original; a second call changes nothing."""
    original = getattr(cls, name)
    if getattr(original, MARK, False):
        return
    replacement = build(original)
    setattr(replacement, MARK, True)
    setattr(cls, name, replacement)


def add(cls: type, **methods: Callable[..., Any]) -> None:
    """Give a class methods that it lacks or that are to be wholly replaced."""
    for name, method in methods.items():
        setattr(cls, name, method)
