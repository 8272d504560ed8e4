"""Imports single resource classes of a provider SDK, without all the others of their package.

`pulumi_gcp.compute` alone defines some two thousand classes; importing a package for one of them
costs more than everything else that a program does. Inside `narrow_imports` the files named by
the import statements are loaded, and nothing else. Whatever imports the whole package later, or
did so before, sees the very same classes.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from tidegate.sdks.types import NAMES, PackageTypes


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
    finder = _ResourceFinder(
        {name: PackageTypes(name, Path(sys.modules[name].__path__[0])) for name in replaced}
    )
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name, present in replaced.items():
            if present is None:
                del sys.modules[name]
            else:
                sys.modules[name] = present


class _ResourceFinder(importlib.abc.MetaPathFinder):
    """Loads the resources of some packages without the types that they name."""

    def __init__(self, types: dict[str, PackageTypes]) -> None:
        self._types = types

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the usual specification with a loader that leaves the types for later."""
        package, _, name = fullname.rpartition(".")
        types = self._types.get(package)
        if types is None or name.startswith("_") or name in NAMES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _ResourceLoader(fullname, spec.loader.path, types)
        return spec


class _ResourceLoader(SourceFileLoader):
    """Leaves the types that a resource's file names until they are asked for."""

    def __init__(self, fullname: str, path: str, types: PackageTypes) -> None:
        super().__init__(fullname, path)
        self._types = types

    def exec_module(self, module: ModuleType) -> None:
        """Run the file."""
        with self._types.hidden():
            super().exec_module(module)
        self._types.tell(module)


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
