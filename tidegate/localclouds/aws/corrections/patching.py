"""Putting methods onto moto's classes, each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Method = Callable[..., Any]
_applied: set[tuple[type, str, Callable[[Method], Method]]] = set()


def wrap(cls: type, name: str, build: Callable[[Method], Method]) -> None:
    """Replace a method by what `build` makes of it; the same wrapping again changes nothing."""
    key = (cls, name, build)
    if key not in _applied:
        _applied.add(key)
        setattr(cls, name, build(getattr(cls, name)))


def add(cls: type, **methods: Method) -> None:
    """Give a class methods that it lacks or that are to be wholly replaced."""
    for name, method in methods.items():
        setattr(cls, name, method)
