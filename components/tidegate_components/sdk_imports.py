"""Imports single resource classes of a provider SDK, without all the others of their package.

`pulumi_gcp.compute` alone defines some two thousand classes; importing a package for one of them
costs more than everything else that a program does. Inside `narrow_imports` the files named by
the import statements are loaded, and nothing else. Whatever imports the whole package later, or
did so before, sees the very same classes.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def narrow_imports(*packages: str) -> Iterator[None]:
    """Let imports below `packages` ("pulumi_gcp.compute") skip the packages' own `__init__`.

    A package that is loaded already is left alone. The stand-ins are gone afterwards.
    """
    replaced: dict[str, ModuleType | None] = {}
    for name in packages:
        importlib.import_module(name.partition(".")[0])
        present = sys.modules.get(name)
        if present is not None and _is_loaded(present):
            continue
        stand_in = _build_stand_in(name)
        if stand_in is not None:
            replaced[name] = present
            sys.modules[name] = stand_in
    try:
        yield
    finally:
        for name, present in replaced.items():
            if present is None:
                del sys.modules[name]
            else:
                sys.modules[name] = present


def _is_loaded(module: ModuleType) -> bool:
    """Return whether a package was executed; the SDKs register lazy ones that were not yet."""
    return type(module) is ModuleType


def _build_stand_in(name: str) -> ModuleType | None:
    """Return an empty package in whose folder imports are found; None where there is none."""
    # Finding a specification does not execute the package, only its parent.
    present = sys.modules.get(name)
    spec = present.__spec__ if present is not None else importlib.util.find_spec(name)
    if spec is None or spec.submodule_search_locations is None:
        return None
    stand_in = ModuleType(name)
    stand_in.__path__ = list(spec.submodule_search_locations)
    stand_in.__package__ = name
    return stand_in
