"""The nested types of a provider SDK, made one by one when they are named.

`pulumi_gcp.compute` defines some two thousand input types in one file, and as many outputs; a
resource names a few dozen. Here only the classes that somebody asks for, with those that they
name, are made of the file's compiled code. Whoever wants all of them, by importing the whole
package later, gets all of them from the file itself.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypedDict

import pulumi

NAMES = ("_inputs", "outputs")
"""The modules of a package that hold nested types."""

_HEAD = 4096
_END_OF_HEAD = "\n__all__ = ["


class TypesModule(ModuleType):
    """A module whose classes are made when they are first asked for."""

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name)
        self.__file__ = str(path)
        self.__package__ = name.rpartition(".")[0]
        code = importlib.machinery.SourceFileLoader(name, str(path)).get_code(name)
        if code is None:
            raise ImportError(f"{path} has no code", name=name, path=str(path))
        self._code = code
        self._bodies = {
            body.co_name: body for body in self._code.co_consts if isinstance(body, CodeType)
        }
        self._is_whole = False
        self.show_all()

    def __getattr__(self, name: str) -> Any:
        if self.__dict__.get("_is_whole", True) or name not in self._bodies:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self._is_whole = True
        exec(self._code, self.__dict__)  # noqa: S102 - the SDK's own file, as an import runs it
        return self.__dict__[name]

    def show_all(self) -> None:
        """Let `import *` see every class."""
        self.__all__ = list(self._bodies)

    def show(self, names: set[str]) -> None:
        """Make the classes of these names and all that they name; let `import *` see no others."""
        wanted = self._bodies.keys() & names
        waiting = list(wanted)
        while waiting and not self._is_whole:
            name = waiting.pop()
            if name not in self.__dict__:
                body = self._bodies[name]
                self.__dict__[name] = self._make(name, body)
                waiting += self._bodies.keys() & list_names(body)
        self.__all__ = sorted(wanted)

    def _make(self, name: str, body: CodeType) -> Any:
        """Make one class as its statement in the file does."""
        build: Any = builtins.__build_class__
        function = FunctionType(body, self.__dict__, name)
        if self.__name__.endswith("outputs"):
            return pulumi.output_type(build(function, name, dict))
        if name.endswith("ArgsDict"):
            return build(function, name, TypedDict)
        return pulumi.input_type(build(function, name))


def list_names(code: CodeType) -> set[str]:
    """Return every word that a piece of code quotes, without the module before it."""
    found: set[str] = set()
    waiting = [code.co_consts]
    while waiting:
        for constant in waiting.pop():
            kind = type(constant)
            if kind is str:
                found.add(constant.removeprefix("outputs.").removeprefix("_inputs."))
            elif kind is CodeType:
                waiting.append(constant.co_consts)
            elif kind is tuple:  # several names within one subscript
                waiting.append(constant)
    return found


def open_types(package: str, folder: Path) -> list[TypesModule]:
    """Return the lazy modules of a package; those that were loaded whole are left alone.

    A file that does not begin as the SDKs' generator writes it is left to the usual import.
    """
    found: list[TypesModule] = []
    heads: list[tuple[TypesModule, str]] = []
    for name in NAMES:
        full_name, path = f"{package}.{name}", folder / f"{name}.py"
        present = sys.modules.get(full_name)
        if isinstance(present, TypesModule):
            found.append(present)
        elif present is None and path.is_file():
            with path.open(encoding="utf-8") as file:
                head, _, rest = file.read(_HEAD).partition(_END_OF_HEAD)
            if rest:
                module = TypesModule(full_name, path)
                sys.modules[full_name] = module
                found.append(module)
                heads.append((module, head))
    # A head imports its siblings: all have to be there before one runs.
    for module, head in heads:
        exec(compile(head, str(module.__file__), "exec"), module.__dict__)  # noqa: S102 - the SDK's own file
    return found
